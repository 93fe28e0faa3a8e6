# Files nobody reads or writes for an agent: outside the workspace, secrets, and what would run by itself later.

Decl secret_part(Part)
  descr [doc("a file or directory that holds secrets, in lower case")]
  bound [/string].

Decl secret_name(Name)
  descr [doc("a file that holds secrets when its whole name is this, in lower case")]
  bound [/string].

Decl secret_suffix(Suffix)
  descr [doc("files whose path ends so hold keys or secrets")]
  bound [/string].

Decl secret_text(Text)
  descr [doc("a text that, in a word of a command, gives away a secret file")]
  bound [/string].

Decl example_suffix(Suffix)
  descr [doc("a template that holds no secret, such as .env.example")]
  bound [/string].

Decl guarded_part(Part)
  descr [doc("a directory or file that only a person writes: it runs by itself or decides what is permitted")]
  bound [/string].

Decl guarded_text(Text)
  descr [doc("a text that, in a path a command writes to, gives away such a file")]
  bound [/string].

Decl beyond(Where)
  descr [doc("not inside the workspace, or nobody can tell")]
  bound [/name].

Decl paths_count(Id)
  descr [doc("the paths of the action are places it reaches")]
  bound [/any].

Decl is_example(Id)
  descr [doc("the path of the action is a template")]
  bound [/any].

Decl changes_files(Class)
  descr [doc("actions of the class change the files they name")]
  bound [/name].

Decl changes_file(Id)
  descr [doc("the action changes the files it names")]
  bound [/any].

Decl secret_word(Word)
  descr [doc("a word of a command names a secret file")]
  bound [/string].

Decl command_word(Word)
  descr [doc("a word or path of a command that is looked at")]
  bound [/string].

Decl telling_word(Word)
  descr [doc("a word of a command that may be more than the name of a program, an option or a plain word")]
  bound [/string].

Decl telling_sign(Sign)
  descr [doc("a sign without which no word gives away a secret")]
  bound [/string].

Decl example_word(Word)
  descr [doc("a word of a command names a template")]
  bound [/string].

secret_part(".env").
secret_part(".ssh").
secret_part(".aws").
secret_part(".azure").
secret_part(".gcloud").
secret_part(".gnupg").
secret_part(".kube").
secret_part(".docker").
secret_part(".netrc").
secret_part("_netrc").
secret_part(".pgpass").
secret_part(".my.cnf").
secret_part(".npmrc").
secret_part(".pypirc").
secret_part(".git-credentials").
secret_part(".htpasswd").
secret_part(".vault-token").
secret_part(".password-store").
secret_part(".terraformrc").
secret_part(".bash_history").
secret_part(".zsh_history").
secret_part(".python_history").
secret_part(".psql_history").
secret_part(".mysql_history").
secret_part("id_rsa").
secret_part("id_dsa").
secret_part("id_ecdsa").
secret_part("id_ed25519").
secret_part("authorized_keys").
secret_part("keychains").
secret_part("login.keychain").
secret_part("login.keychain-db").
secret_part("credentials.json").
secret_part("service-account.json").
secret_part("application_default_credentials.json").
secret_part("terraform.tfstate").
secret_part("wallet.dat").
secret_part("shadow").
secret_part("gshadow").
secret_part("sudoers").
secret_part("cookies.sqlite").
secret_part("logins.json").
secret_part(".mayfly").

secret_name("credentials").
secret_name("secrets.yml").
secret_name("secrets.yaml").
secret_name("secrets.json").
secret_name("secrets.toml").
secret_name(".credentials").

secret_suffix(".pem").
secret_suffix(".key").
secret_suffix(".p12").
secret_suffix(".pfx").
secret_suffix(".jks").
secret_suffix(".keystore").
secret_suffix(".kdbx").
secret_suffix(".ovpn").
secret_suffix(".ppk").
secret_suffix(".keychain").
secret_suffix(".gpg").
secret_suffix(".env").
secret_suffix("/environ").

example_suffix(".example").
example_suffix(".sample").
example_suffix(".template").
example_suffix(".dist").

secret_text("/.env").
secret_text(".ssh/").
secret_text("/.ssh").
secret_text(".aws/").
secret_text("/.aws").
secret_text(".gnupg").
secret_text(".kube/").
secret_text(".docker/config").
secret_text(".netrc").
secret_text(".pgpass").
secret_text(".npmrc").
secret_text(".pypirc").
secret_text(".git-credentials").
secret_text(".htpasswd").
secret_text(".vault-token").
secret_text(".password-store").
secret_text("_history").
secret_text("id_rsa").
secret_text("id_dsa").
secret_text("id_ecdsa").
secret_text("id_ed25519").
secret_text("authorized_keys").
secret_text("etc/shadow").
secret_text("etc/gshadow").
secret_text("etc/sudoers").
secret_text("eychains/").
secret_text("proc/self/").
secret_text(":.env").
secret_text(".mayfly").
secret_text("credentials.json").
secret_text(".aws/credentials").
secret_text("cookies.sqlite").
secret_text("logins.json").
secret_text("wallet.dat").

telling_sign(".").
telling_sign("/").
telling_sign("_").

guarded_part(".git").
guarded_part(".hg").
guarded_part(".svn").
guarded_part(".bashrc").
guarded_part(".bash_profile").
guarded_part(".bash_login").
guarded_part(".bash_logout").
guarded_part(".profile").
guarded_part(".zshrc").
guarded_part(".zshenv").
guarded_part(".zprofile").
guarded_part(".zlogin").
guarded_part("config.fish").
guarded_part(".envrc").
guarded_part(".gitconfig").
guarded_part(".vimrc").
guarded_part(".emacs").
guarded_part(".inputrc").
guarded_part(".xprofile").
guarded_part("crontab").
guarded_part("cron.d").
guarded_part("autostart").
guarded_part("launchagents").
guarded_part("launchdaemons").
guarded_part("sitecustomize.py").
guarded_part("usercustomize.py").

guarded_text(".git/").
guarded_text(".bashrc").
guarded_text(".bash_profile").
guarded_text(".bash_login").
guarded_text(".profile").
guarded_text(".zshrc").
guarded_text(".zshenv").
guarded_text(".envrc").
guarded_text(".gitconfig").
guarded_text("crontab").
guarded_text("cron.d").
guarded_text("autostart").
guarded_text("sitecustomize").
guarded_text("usercustomize").

beyond(/outside).
beyond(/system).
beyond(/unclear).

changes_files(/write).
changes_files(/delete).
changes_files(/net).

paths_count(Id) :-
  class_of(Id, Class),
  !target_is_text(Class),
  !runs_command(Class).

changes_file(Id) :-
  class_of(Id, Class),
  changes_files(Class).

is_example(Id) :-
  action_path_suffix(Id, Suffix),
  example_suffix(Suffix).

refused(Id, Reason) :-
  paths_count(Id),
  action_path(Id, Path, /outside),
  Reason = fn:string:concat("outside the workspace: ", Path).

refused(Id, Reason) :-
  paths_count(Id),
  action_path(Id, Path, /system),
  Reason = fn:string:concat("a file of the system: ", Path).

refused(Id, Reason) :-
  paths_count(Id),
  action_path(Id, Path, /unclear),
  Reason = fn:string:concat("a path that leads out of the workspace, or nobody can tell where: ", Path).

refused(Id, Reason) :-
  class_of(Id, Class),
  !target_is_text(Class),
  action_path_part(Id, Part),
  secret_part(Part),
  Reason = fn:string:concat("it holds secrets or belongs to the runtime: ", Part).

refused(Id, Reason) :-
  paths_count(Id),
  action_path_part(Id, Part),
  :string:starts_with(Part, ".env."),
  !is_example(Id),
  Reason = fn:string:concat("it holds secrets: ", Part).

refused(Id, Reason) :-
  paths_count(Id),
  action_path_part(Id, Part),
  secret_name(Part),
  action_path(Id, Path, _),
  :string:ends_with(Path, Part),
  Reason = fn:string:concat("it holds secrets: ", Path).

refused(Id, Reason) :-
  paths_count(Id),
  action_path(Id, Path, _),
  secret_text(Text),
  :string:contains(Path, Text),
  !is_example(Id),
  Reason = fn:string:concat("it holds secrets or belongs to the runtime: ", Path).

refused(Id, Reason) :-
  paths_count(Id),
  action_path_suffix(Id, Suffix),
  secret_suffix(Suffix),
  Reason = fn:string:concat("a file that holds keys: *", Suffix).

refused(Id, Reason) :-
  changes_file(Id),
  action_path_part(Id, Part),
  guarded_part(Part),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Part).

# Python runs the lines of such a file whenever it starts.
refused(Id, "only a person changes what runs by itself: *.pth") :-
  changes_file(Id),
  action_path_suffix(Id, ".pth").

refused(Id, "an artifact may not change settings, limits or rules") :-
  changes_file(Id),
  action_path_part(Id, "mayfly.toml"),
  artifact_acts().

needs_approval(Id, "changing the runtime's settings needs an approval") :-
  changes_file(Id),
  action_path_part(Id, "mayfly.toml").

# The same for what a command line names.

command_word(Word) :-
  read_as_command(Id, Source),
  shell_word(Id, Source, _, Word).

# The tools for git are given the words after `git`, so the first of them stands where a program would.
command_word(Program) :- read_call(_, _, _, Program).

command_word(Path) :-
  read_as_command(Id, Source),
  shell_path(Id, Source, _, Path, _).

command_word(Path) :-
  read_as_command(Id, Source),
  shell_writes(Id, Source, _, Path, _).

example_word(Word) :-
  telling_word(Word),
  example_suffix(Suffix),
  :string:ends_with(Word, Suffix).

secret_word(Word) :-
  command_word(Word),
  secret_part(Word),
  !example_word(Word).

secret_word(Word) :-
  telling_word(Word),
  :string:starts_with(Word, ".env."),
  !example_word(Word).

# Each of these texts has one of the signs.
telling_word(Word) :-
  command_word(Word),
  telling_sign(Sign),
  :string:contains(Word, Sign).

secret_word(Word) :-
  telling_word(Word),
  secret_text(Text),
  :string:contains(Word, Text),
  !example_word(Word).

secret_word(Word) :-
  telling_word(Word),
  secret_suffix(Suffix),
  :string:ends_with(Word, Suffix).

refused(Id, Reason) :-
  read_as_command(Id, Source),
  shell_word(Id, Source, _, Word),
  secret_word(Word),
  Reason = fn:string:concat("it holds secrets or belongs to the runtime: ", Word).

refused(Id, Reason) :-
  read_call(Id, _, _, Word),
  secret_word(Word),
  Reason = fn:string:concat("it holds secrets or belongs to the runtime: ", Word).

refused(Id, Reason) :-
  read_as_command(Id, Source),
  shell_path(Id, Source, _, Path, _),
  secret_word(Path),
  Reason = fn:string:concat("it holds secrets or belongs to the runtime: ", Path).

refused(Id, Reason) :-
  read_as_command(Id, Source),
  shell_writes(Id, Source, _, Path, _),
  secret_word(Path),
  Reason = fn:string:concat("it holds secrets or belongs to the runtime: ", Path).

refused(Id, Reason) :-
  read_as_command(Id, Source),
  shell_writes(Id, Source, _, Path, _),
  guarded_text(Text),
  :string:contains(Path, Text),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Path).

# Where a file is moved or copied to.

refused(Id, Reason) :-
  moves_file(Id),
  shell_path(Id, /payload, _, Path, Where),
  beyond(Where),
  Reason = fn:string:concat("outside the workspace: ", Path).

refused(Id, Reason) :-
  moves_file(Id),
  pending_action(Id, _, _, Payload, _),
  guarded_text(Text),
  :string:contains(Payload, Text),
  Reason = fn:string:concat("only a person changes what runs by itself: ", Text).

# Git keeps the addresses of other machines with the names and passwords that were written into them.

needs_approval(Id, "git keeps passwords there") :-
  action_path_part(Id, ".git"),
  action_path_part(Id, "config"),
  paths_count(Id).

needs_approval(Id, "git keeps passwords there") :-
  run_now(Id, Source),
  shell_path(Id, Source, _, Path, _),
  :string:contains(Path, ".git/"),
  :string:ends_with(Path, "/config").
