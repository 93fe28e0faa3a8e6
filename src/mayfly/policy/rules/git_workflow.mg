# Policy of those who use git: each commit has a message. What git does is seen by what it changes; what it lost, undo
# brings back, and nothing leaves this machine before a person agrees to the push. So commits need no approval, unless
# an operator's rules name branches that only take what was reviewed: protected_branch("main").

Decl protected_branch(Branch)
  descr [doc("a branch that only takes what was reviewed")]
  bound [/string].

Decl moved_ref(Id, Path)
  descr [doc("a change moves a branch")]
  bound [/any, /string].

Decl holds_refs(Top)
  descr [doc("a file of git that holds many branches at once, so that nobody sees which of them moved")]
  bound [/string].

policy_tool("git_workflow.mg", /git).

holds_refs("packed-refs").
holds_refs("reftable").

moved_ref(Id, Path) :-
  in_force("git_workflow.mg"),
  pending_change(Id, _, Entry, _),
  Entry != /directory,
  git_file(Id, Top, _),
  Top != "logs",
  action_path(Id, Path, _),
  :string:contains(Path, "/refs/heads/").

policy_needs_approval(Id, Reason) :-
  moved_ref(Id, Path),
  protected_branch(Branch),
  Ending = fn:string:concat("/refs/heads/", Branch),
  :string:ends_with(Path, Ending),
  Reason = fn:string:concat("no commits on ", Branch, " without an approval: make a branch first").

# A branch such as release/1.2.
policy_needs_approval(Id, Reason) :-
  moved_ref(Id, Path),
  protected_branch(Branch),
  Within = fn:string:concat("/refs/heads/", Branch, "/"),
  :string:contains(Path, Within),
  Reason = fn:string:concat("no commits on ", Branch, " without an approval: make a branch first").

policy_needs_approval(Id, Reason) :-
  in_force("git_workflow.mg"),
  pending_change(Id, _, _, _),
  git_file(Id, Top, _),
  holds_refs(Top),
  protected_branch(_),
  Reason = fn:string:concat("nobody can tell which branches it moves: .git/", Top).

policy_denies(Id, "a commit needs a message") :-
  in_force("git_workflow.mg"),
  pending_action(Id, /git_commit, "", "", _).

advice("git_workflow.mg", "work on a branch of your own, one subject a commit") :- in_force("git_workflow.mg").
