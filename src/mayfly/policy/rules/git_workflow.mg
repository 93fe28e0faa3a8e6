# Policy of those who use git: commits on a branch of their own, each with a message, and nothing lost without asking.

Decl protected_branch(Branch)
  descr [doc("a branch that only takes what was reviewed")]
  bound [/string].

Decl commits(Id)
  descr [doc("the action would make a commit")]
  bound [/any].

Decl shell_commit(Id, Source, N)
  descr [doc("a command that would make a commit")]
  bound [/any, /name, /number].

Decl commit_message_flag(Flag)
  descr [doc("a flag with which git commit gets its message")]
  bound [/string].

Decl has_message(Id, Source, N)
  descr [doc("the commit command is given a message")]
  bound [/any, /name, /number].

Decl losing_flag(Word, Flag)
  descr [doc("a git command that loses work when given the flag")]
  bound [/string, /string].

policy_tool("git_workflow.mg", /git).

protected_branch("main").
protected_branch("master").
protected_branch("trunk").
protected_branch("production").
protected_branch("release").

commit_message_flag("m").
commit_message_flag("message").
commit_message_flag("F").
commit_message_flag("file").
commit_message_flag("C").
commit_message_flag("reuse-message").
commit_message_flag("fixup").
commit_message_flag("squash").

losing_flag("reset", "hard").
losing_flag("clean", "f").
losing_flag("clean", "force").
losing_flag("checkout", "f").
losing_flag("checkout", "force").
losing_flag("branch", "D").
losing_flag("commit", "amend").

shell_commit(Id, Source, N) :-
  run_now(Id, Source),
  git_word(Id, Source, N, "commit").

commits(Id) :- pending_action(Id, /git_commit, _, _, _).

commits(Id) :- shell_commit(Id, _, _).

has_message(Id, Source, N) :-
  shell_commit(Id, Source, N),
  shell_flag(Id, Source, N, Flag),
  commit_message_flag(Flag).

policy_denies(Id, Reason) :-
  in_force("git_workflow.mg"),
  commits(Id),
  git_branch(Branch),
  protected_branch(Branch),
  Reason = fn:string:concat("no commits on ", Branch, ": make a branch first").

policy_denies(Id, "a commit needs a message") :-
  in_force("git_workflow.mg"),
  shell_commit(Id, Source, N),
  !has_message(Id, Source, N).

policy_denies(Id, "a commit needs a message") :-
  in_force("git_workflow.mg"),
  pending_action(Id, /git_commit, "", "", _).

policy_denies(Id, "the checks before a commit are not skipped") :-
  in_force("git_workflow.mg"),
  run_now(Id, Source),
  git_call(Id, Source, N),
  shell_flag(Id, Source, N, "no-verify").

policy_needs_approval(Id, "it may lose work that is not committed") :-
  in_force("git_workflow.mg"),
  run_now(Id, Source),
  git_word(Id, Source, N, Word),
  losing_flag(Word, Flag),
  shell_flag(Id, Source, N, Flag).

advice("git_workflow.mg", "work on a branch of your own, one subject a commit") :- in_force("git_workflow.mg").
