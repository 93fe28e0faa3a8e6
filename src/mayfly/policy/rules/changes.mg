# What may become of the files of the workspace: the same rules for the file that somebody asks to write or delete and
# for every change that a command left behind in the workbench. Writing and deleting is everyday work, and undo takes it
# back; a person is asked about what runs by itself later, where no undo helps.

Decl leaves_behind(Class, Effect)
  descr [doc("who may do the one may leave changes of the other class behind")]
  bound [/name, /name].

Decl changes_work(Class)
  descr [doc("an action or change of the class changes the work itself")]
  bound [/name].

Decl may_ask(Id)
  descr [doc("the one who acts may ask for it: he has a tool that does such a thing")]
  bound [/any].

Decl change_permitted(Id)
  descr [doc("this change of a set may be kept")]
  bound [/any].

Decl product_part(Part)
  descr [doc("a file or directory that tests and builds make anew, in lower case")]
  bound [/string].

Decl product_suffix(Suffix)
  descr [doc("files with this suffix are made anew by tests and builds")]
  bound [/string].

Decl dependency_part(Part)
  descr [doc("a directory into which others' code is installed, in lower case")]
  bound [/string].

Decl is_product(Id)
  descr [doc("the change is one to what tests and builds make anew, and git does not track it")]
  bound [/any].

Decl in_dependency(Id)
  descr [doc("the change is one to others' code, as it was installed")]
  bound [/any].

Decl git_state(Id)
  descr [doc("the change is one that git makes by itself")]
  bound [/any].

Decl git_index(Id)
  descr [doc("the change is one to the list that git refreshes whenever it looks")]
  bound [/any].

Decl path_is_head(Path)
  descr [doc("the path ends in a file by which git knows a repository")]
  bound [/string].

Decl guarded_part(Part)
  descr [doc("a file or directory, wherever it lies, that runs by itself, in lower case")]
  bound [/string].

Decl imported_at_start(Start)
  descr [doc("how the name of a module begins that Python imports whenever it starts")]
  bound [/string].

Decl project_part(Part)
  descr [doc("a file or directory that says what runs by itself for a project: pipelines, hooks, editors")]
  bound [/string].

Decl lock_of(Lock, Manifest)
  descr [doc("a file of exact versions, and the file that it is made of; in lower case")]
  bound [/string, /string].

Decl manifest_changed(Lock)
  descr [doc("what the file of versions is made of changes in the same set")]
  bound [/string].

Decl lock_made(Id)
  descr [doc("the file of versions is a new one, or names the same as before")]
  bound [/any].

Decl changes_library(Action)
  descr [doc("the action changes which tools there are")]
  bound [/name].

Decl removes(Id)
  descr [doc("the action or change removes what it names")]
  bound [/any].

# Who only asks gets an answer: nothing of the workspace is changed for a question, whoever answers it.

refused(Id, "only a question was asked, so nothing is changed") :-
  only_asked(),
  class_of(Id, Class),
  changes_work(Class).

refused(Id, "only a question was asked, so nothing is changed") :-
  only_asked(),
  pending_action(Id, Action, _, _, _),
  changes_library(Action).

changes_library(/tool_write).
changes_library(/tool_update).
changes_library(/tool_rollback).
changes_library(/tool_delete).

changes_work(/write).
changes_work(/delete).
changes_work(/git_state).

# Who may leave what behind. Tests and builds make products; only a tool for files, commands or git changes the work
# itself. The index is refreshed by `git status`, which who looks may run.

leaves_behind(/write, /product).
leaves_behind(/run, /write).
leaves_behind(/run, /delete).
leaves_behind(/run, /product).
leaves_behind(/run, /git_state).
leaves_behind(/run, /git_read).
leaves_behind(/test, /product).
leaves_behind(/build, /product).
leaves_behind(/git, /write).
leaves_behind(/git, /delete).
leaves_behind(/git, /product).
leaves_behind(/git, /git_state).
leaves_behind(/git_commit, /write).
leaves_behind(/git_commit, /delete).
leaves_behind(/git_commit, /product).
leaves_behind(/git_commit, /git_state).
leaves_behind(/git_commit, /git_read).

may_ask(Id) :-
  class_of(Id, Class),
  may_do(Class).

may_ask(Id) :-
  pending_change(Id, _, _, _),
  class_of(Id, Class),
  leaves_behind(Held, Class),
  may_do(Held).

change_permitted(Id) :-
  pending_change(Id, _, _, _),
  allowed(Id),
  !is_refused(Id),
  !awaits_approval(Id).

# The class of a change.

class_of(Id, /product) :- is_product(Id).

class_of(Id, /git_read) :- git_index(Id).

class_of(Id, /git_state) :-
  pending_change(Id, _, _, _),
  git_state(Id),
  !git_index(Id).

class_of(Id, /delete) :-
  pending_change(Id, /deleted, _, _),
  !is_product(Id),
  !git_state(Id).

class_of(Id, /write) :-
  pending_change(Id, Kind, _, _),
  Kind != /deleted,
  !is_product(Id),
  !git_state(Id).

is_product(Id) :-
  pending_change(Id, _, _, Tracked),
  Tracked != /tracked,
  action_path_part(Id, Part),
  product_part(Part),
  !git_file(Id, _, _).

is_product(Id) :-
  pending_change(Id, _, _, Tracked),
  Tracked != /tracked,
  action_path_suffix(Id, Suffix),
  product_suffix(Suffix),
  !git_file(Id, _, _).

# What the project itself has git leave out.
is_product(Id) :-
  pending_change(Id, _, _, /ignored),
  !git_file(Id, _, _).

in_dependency(Id) :-
  pending_change(Id, _, _, Tracked),
  Tracked != /tracked,
  action_path_part(Id, Part),
  dependency_part(Part).

product_part(Part) :- dependency_part(Part).
product_part("__pycache__").
product_part(".pytest_cache").
product_part(".mypy_cache").
product_part(".ruff_cache").
product_part(".hypothesis").
product_part(".coverage").
product_part("htmlcov").
product_part("coverage").
product_part("coverage.xml").
product_part(".nyc_output").
product_part(".cache").
product_part(".eggs").
product_part(".gradle").
product_part(".next").
product_part("build").
product_part("dist").
product_part("out").
product_part("target").
product_part("obj").

product_suffix(".pyc").
product_suffix(".egg-info").
product_suffix(".o").
product_suffix(".class").

dependency_part("node_modules").
dependency_part("site-packages").
dependency_part(".venv").
dependency_part("venv").
dependency_part(".tox").
dependency_part(".nox").
dependency_part("bower_components").

# Git. What it writes by itself is data, and known by its place and content; what it runs, or trusts instead of its own,
# is not: a person looks at everything else below a .git.

git_state(Id) :- git_holds(Id, /data).

git_state(Id) :- git_holds(Id, /index).

# Of this one nothing else is asked, so it has to be plainly there.
git_index(Id) :-
  git_holds(Id, /index),
  action_path(Id, _, /inside),
  !path_secret(Id, _).

# Refused, whoever agrees.

refused(Id, Reason) :-
  pending_change(Id, Kind, /special, _),
  Kind != /deleted,
  action_path(Id, Path, _),
  Reason = fn:string:concat("neither a file nor a directory nor a link: ", Path).

refused(Id, Reason) :-
  change_mode(Id, _),
  action_path(Id, Path, _),
  Reason = fn:string:concat("it would run with another's rights (setuid or setgid): ", Path).

# A link to the machine's own programs, as every virtual environment has, gives nobody anything.
refused(Id, Reason) :-
  change_link(Id, Target, /outside),
  Reason = fn:string:concat("a link that leads out of the workspace: ", Target).

# A repository, its hooks and other names of remotes have no place among git's own files: git would run what is in them.
refused(Id, Reason) :-
  git_holds(Id, /never),
  action_path(Id, Path, _),
  Reason = fn:string:concat("git keeps nothing like this among its own files: ", Path).

# What runs by itself.

needs_approval(Id, Reason) :-
  action_path_part(Id, Part),
  guarded_part(Part),
  changes_file(Id),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Part).

needs_approval(Id, Reason) :-
  action_path_part(Id, Part),
  project_part(Part),
  changes_file(Id),
  !in_dependency(Id),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Part).

# Python runs the lines of such a file whenever it starts.
needs_approval(Id, "only a person changes what runs by itself: *.pth") :-
  action_path_suffix(Id, ".pth"),
  changes_file(Id).

# Of a module that it imports at its start there may be machine code, with more in its name than the suffix.
needs_approval(Id, Reason) :-
  action_path_suffix(Id, ".so"),
  imported_at_start(Start),
  action_path(Id, Path, _),
  :string:contains(Path, Start),
  changes_file(Id),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Path).

imported_at_start("sitecustomize.").
imported_at_start("usercustomize.").

needs_approval(Id, Reason) :-
  git_file(Id, Top, _),
  changes_file(Id),
  !git_state(Id),
  Reason = fn:string:concat("only a person changes what runs by itself: .git/", Top).

# A directory with such a file in it may be a repository without a .git, with settings that git trusts.
needs_approval(Id, Reason) :-
  action_path_part(Id, "head"),
  action_path(Id, Path, _),
  path_is_head(Path),
  changes_file(Id),
  !git_state(Id),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Path).

path_is_head("HEAD").

path_is_head(Path) :-
  action_path_part(Id, "head"),
  action_path(Id, Path, _),
  :string:ends_with(Path, "/HEAD").

guarded_part(".hg").
guarded_part(".svn").
guarded_part(".envrc").
guarded_part(".bashrc").
guarded_part(".bash_profile").
guarded_part(".bash_login").
guarded_part(".bash_logout").
guarded_part(".bash_aliases").
guarded_part(".profile").
guarded_part(".login").
guarded_part(".cshrc").
guarded_part(".kshrc").
guarded_part(".zshrc").
guarded_part(".zshenv").
guarded_part(".zprofile").
guarded_part(".zlogin").
guarded_part(".zlogout").
guarded_part("config.fish").
guarded_part(".inputrc").
guarded_part(".xprofile").
guarded_part(".xinitrc").
guarded_part(".xsession").
guarded_part(".gitconfig").
guarded_part(".vimrc").
guarded_part(".exrc").
guarded_part(".nvimrc").
guarded_part(".nvim.lua").
guarded_part(".emacs").
guarded_part(".dir-locals.el").
guarded_part(".gdbinit").
guarded_part(".lldbinit").
guarded_part(".pdbrc").
guarded_part(".tmux.conf").
guarded_part("crontab").
guarded_part("cron.d").
guarded_part("autostart").
guarded_part("launchagents").
guarded_part("launchdaemons").
guarded_part("sitecustomize").
guarded_part("sitecustomize.py").
guarded_part("sitecustomize.pyc").
guarded_part("usercustomize").
guarded_part("usercustomize.py").
guarded_part("usercustomize.pyc").

project_part(".github").
project_part(".gitea").
project_part(".forgejo").
project_part(".gitlab").
project_part(".gitlab-ci.yml").
project_part(".gitlab-ci.yaml").
project_part(".circleci").
project_part(".buildkite").
project_part(".semaphore").
project_part(".teamcity").
project_part(".woodpecker").
project_part(".woodpecker.yml").
project_part(".drone.yml").
project_part(".travis.yml").
project_part("appveyor.yml").
project_part(".appveyor.yml").
project_part("jenkinsfile").
project_part("azure-pipelines.yml").
project_part("bitbucket-pipelines.yml").
project_part("cloudbuild.yaml").
project_part(".husky").
project_part(".githooks").
project_part(".pre-commit-config.yaml").
project_part("lefthook.yml").
project_part(".vscode").
project_part(".idea").
project_part(".zed").
project_part(".devcontainer").
project_part(".claude").
project_part(".cursor").
project_part(".mcp.json").
project_part(".cargo").
project_part(".mise.toml").
project_part("pip.conf").
project_part(".yarnrc").
project_part(".yarnrc.yml").

# Settings, limits and rules are no artifact's business: it would widen its own powers.

refused(Id, "an artifact may not change settings, limits or rules") :-
  action_path_part(Id, "mayfly.toml"),
  changes_file(Id),
  artifact_acts().

needs_approval(Id, "changing the runtime's settings needs an approval") :-
  action_path_part(Id, "mayfly.toml"),
  changes_file(Id).

# Exact versions follow from what is asked for. A file of versions that changes by itself may name others' code instead.

needs_approval(Id, Reason) :-
  action_path_part(Id, Lock),
  lock_of(Lock, _),
  class_of(Id, /write),
  !manifest_changed(Lock),
  !lock_made(Id),
  Reason = fn:string:concat("versions are changed by the package manager together with its list, or by a person: ", Lock).

manifest_changed(Lock) :-
  lock_of(Lock, Manifest),
  changed_name(Manifest).

lock_made(Id) :- pending_change(Id, /created, _, _).

# A package manager that finds its file in an older form writes it anew.
lock_made(Id) :- change_same_code(Id).

lock_of("package-lock.json", "package.json").
lock_of("npm-shrinkwrap.json", "package.json").
lock_of("yarn.lock", "package.json").
lock_of("pnpm-lock.yaml", "package.json").
lock_of("bun.lock", "package.json").
lock_of("poetry.lock", "pyproject.toml").
lock_of("uv.lock", "pyproject.toml").
lock_of("pdm.lock", "pyproject.toml").
lock_of("pipfile.lock", "pipfile").
lock_of("cargo.lock", "cargo.toml").
lock_of("go.sum", "go.mod").
lock_of("gemfile.lock", "gemfile").
lock_of("composer.lock", "composer.json").
lock_of("mix.lock", "mix.exs").

# Removing much at once.

removes(Id) :- class_of(Id, /delete).

needs_approval(Id, "it removes the whole workspace") :-
  removes(Id),
  action_path(Id, ".", _).

needs_approval(Set, Reason) :-
  removed_tracked(Set, Number),
  removal_limit(Most),
  Number > Most,
  Reason = fn:string:concat("it removes or empties ", Number, " files that git tracks, and more than ", Most, " needs an approval").

# Commits that a session did not make itself stay where refs or reflogs lead to them.
needs_approval(Set, Reason) :-
  history_lost(Set, What),
  Reason = fn:string:concat("it may lose git history: ", What).

needs_approval(Set, Reason) :-
  beyond_undo(Set, Bytes),
  Reason = fn:string:concat("undo could not take it back, it would need ", Bytes, " bytes more than workbench.undo_size").
