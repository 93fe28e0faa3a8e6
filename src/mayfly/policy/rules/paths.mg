# Files nobody reads or writes for an agent: outside the workspace, and secrets. Which paths hold secrets is said by one
# list (core/secret_paths.toml) that the workbench uses too; here it arrives as path_secret.

Decl beyond(Where, Words)
  descr [doc("not inside the workspace, or nobody can tell")]
  bound [/name, /string].

Decl paths_count(Id)
  descr [doc("the paths of the action or change are places it reaches")]
  bound [/any].

Decl changes_files(Class)
  descr [doc("actions of the class change the files they name")]
  bound [/name].

Decl changes_file(Id)
  descr [doc("the action or change changes the files it names")]
  bound [/any].

beyond(/outside, "outside the workspace: ").
beyond(/system, "a file of the system: ").
beyond(/unclear, "a path that leads out of the workspace, or nobody can tell where: ").

changes_files(/write).
changes_files(/delete).
changes_files(/product).
changes_files(/git_state).
changes_files(/net).
changes_files(/send).

paths_count(Id) :-
  class_of(Id, Class),
  !target_is_text(Class),
  !runs_command(Class).

changes_file(Id) :-
  class_of(Id, Class),
  changes_files(Class).

refused(Id, Reason) :-
  action_path(Id, Path, Where),
  beyond(Where, Words),
  paths_count(Id),
  Reason = fn:string:concat(Words, Path).

refused(Id, Reason) :-
  path_secret(Id, Reason),
  paths_count(Id).

# The state of the runtime, where it does not lie in a directory of its usual name.

refused(Id, Reason) :-
  runtime_state(State),
  action_path(Id, State, _),
  paths_count(Id),
  Reason = fn:string:concat("it belongs to the runtime: ", State).

refused(Id, Reason) :-
  runtime_state(State),
  Below = fn:string:concat(State, "/"),
  action_path(Id, Path, _),
  :string:starts_with(Path, Below),
  paths_count(Id),
  Reason = fn:string:concat("it belongs to the runtime: ", State).

# Git keeps the addresses of other machines with the names and passwords that were written into them.
needs_approval(Id, "git keeps passwords there") :-
  git_file(Id, _, "config"),
  paths_count(Id),
  !changes_file(Id).
