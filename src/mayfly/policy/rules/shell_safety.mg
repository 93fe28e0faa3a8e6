# Command lines that do harm whoever wrote them, found in whatever form they were given: in the target of any action, in
# the payload of one that runs something, and in a script that is written to disk to be run later.
#
# destroys/3 is refused everywhere. risky/3 is refused where it would be run now, and needs an approval in a script,
# where `sudo` or `rm -rf build` may be just what a person asked for.

Decl read_as_command(Id, Source)
  descr [doc("what the action holds there counts as a command line")]
  bound [/any, /name].

Decl names_file(Id)
  descr [doc("the target is the name of a file and nothing else")]
  bound [/any].

Decl about_file(Id)
  descr [doc("the target of the action should be the name of a file")]
  bound [/any].

Decl spelled_out(Id)
  descr [doc("the target has more words than one")]
  bound [/any].

Decl read_call(Id, Source, N, Program)
  descr [doc("a simple command in what counts as a command line")]
  bound [/any, /name, /number, /string].

Decl rm_call(Id, Source, N)
  descr [doc("a call of rm")]
  bound [/any, /name, /number].

Decl find_call(Id, Source, N)
  descr [doc("a call of find")]
  bound [/any, /name, /number].

Decl chmod_call(Id, Source, N)
  descr [doc("a call of chmod")]
  bound [/any, /name, /number].

Decl chown_call(Id, Source, N)
  descr [doc("a call of chown")]
  bound [/any, /name, /number].

Decl kill_call(Id, Source, N)
  descr [doc("a call of kill")]
  bound [/any, /name, /number].

Decl finds_outside(Id, Source, N)
  descr [doc("a call of find that looks outside the workspace")]
  bound [/any, /name, /number].

Decl removing_program(Program)
  descr [doc("a program that removes or empties the files it is given")]
  bound [/string].

Decl fetching_program(Program)
  descr [doc("a program that brings files from other machines")]
  bound [/string].

Decl message_tool(Id)
  descr [doc("the tool takes a text for people")]
  bound [/any].

Decl run_now(Id, Source)
  descr [doc("the action would run it")]
  bound [/any, /name].

Decl message_given(Id)
  descr [doc("the payload is a text for people")]
  bound [/any].

Decl arguments_given(Id)
  descr [doc("the payload holds arguments for a program")]
  bound [/any].

Decl argument_key(Key)
  descr [doc("a key of a JSON payload under which arguments lie")]
  bound [/string].

Decl writes_script(Id)
  descr [doc("the action writes a file that somebody or something will run")]
  bound [/any].

Decl script_suffix(Suffix)
  descr [doc("files with this suffix are run by a shell")]
  bound [/string].

Decl script_part(Part)
  descr [doc("files of this name, or under a directory of this name, hold commands, in lower case")]
  bound [/string].

Decl destroys(Id, Source, Reason)
  descr [doc("a command line that does harm wherever it stands")]
  bound [/any, /name, /string].

Decl risky(Id, Source, Reason)
  descr [doc("a command line that is refused when it would be run")]
  bound [/any, /name, /string].

Decl hidden_command(Id, Source, Reason)
  descr [doc("what would be run is hidden from view")]
  bound [/any, /name, /string].

Decl destructive_program(Program, Reason)
  descr [doc("a program that is never run for an agent")]
  bound [/string, /string].

Decl privileged_program(Program)
  descr [doc("a program that gives other rights than those the agent has")]
  bound [/string].

Decl shell_program(Program)
  descr [doc("a program that runs what it reads")]
  bound [/string].

Decl interpreter_program(Program)
  descr [doc("a program that runs what it reads, in a language of its own")]
  bound [/string].

Decl source_of_surprise(Program)
  descr [doc("a program whose output nobody has seen: fetched or decoded")]
  bound [/string].

Decl recursive(Id, Source, N)
  descr [doc("the command works on whole directories")]
  bound [/any, /name, /number].

Decl forced(Id, Source, N)
  descr [doc("the command does not ask")]
  bound [/any, /name, /number].

Decl whole_directory(Word)
  descr [doc("a word that means all there is")]
  bound [/string].

Decl open_mode(Word)
  descr [doc("file modes that let everybody write, or let a file run as its owner")]
  bound [/string].

Decl quiet_device(Path)
  descr [doc("a device that swallows or shows what is written to it")]
  bound [/string].

Decl unclear_text(Text)
  descr [doc("a reason for unclearness that means a command is hidden")]
  bound [/string].

Decl git_call(Id, Source, N)
  descr [doc("a call of git, or what the git tools were given")]
  bound [/any, /name, /number].

Decl git_tool(Id)
  descr [doc("what the action is given are words for git")]
  bound [/any].

Decl git_pushes(Id, Source, N)
  descr [doc("a git command that pushes")]
  bound [/any, /name, /number].

Decl git_class(Class)
  descr [doc("what such an action is given are words for git")]
  bound [/name].

# Where commands are looked for.

run_now(Id, /target) :-
  class_of(Id, Class),
  runs_command(Class).

run_now(Id, /payload) :-
  class_of(Id, Class),
  runs_command(Class),
  !message_given(Id).

# A message may be given as it is, or as JSON; arguments in JSON are more than a message.
message_given(Id) :-
  message_tool(Id),
  !arguments_given(Id).

message_tool(Id) :-
  pending_action(Id, Action, _, _, _),
  takes_message(Action).

arguments_given(Id) :-
  message_tool(Id),
  pending_action(Id, _, _, Payload, _),
  argument_key(Key),
  :string:contains(Payload, Key).

argument_key("\"args\"").
argument_key("\"arguments\"").
argument_key("\"flags\"").
argument_key("\"options\"").
argument_key("\"command\"").

read_as_command(Id, /target) :-
  class_of(Id, Class),
  !target_is_text(Class),
  !names_file(Id).

# A file may have the name of a program.
names_file(Id) :-
  about_file(Id),
  !spelled_out(Id).

about_file(Id) :-
  class_of(Id, Class),
  about_files(Class).

spelled_out(Id) :-
  about_file(Id),
  shell_word(Id, /target, _, _).

spelled_out(Id) :-
  about_file(Id),
  shell_writes(Id, /target, _, _, _).

spelled_out(Id) :-
  about_file(Id),
  shell_unclear(Id, /target, _).

spelled_out(Id) :-
  about_file(Id),
  shell_call(Id, /target, 2, _).

read_as_command(Id, /payload) :-
  class_of(Id, Class),
  !payload_is_data(Class),
  !target_is_text(Class),
  !message_given(Id).

read_as_command(Id, /payload) :- writes_script(Id).

read_as_command(Id, /payload) :- moves_file(Id).

# What a payload holds beside its command is not run, and yet nobody sends harm along for nothing.
read_as_command(Id, /beside) :- run_now(Id, /payload).

read_as_command(Id, /beside) :- writes_script(Id).

read_call(Id, Source, N, Program) :-
  read_as_command(Id, Source),
  shell_call(Id, Source, N, Program).

read_as_command(Id, /target) :- unknown_action(Id).

read_as_command(Id, /payload) :- unknown_action(Id).

script_suffix(".sh").
script_suffix(".bash").
script_suffix(".zsh").
script_suffix(".ksh").
script_suffix(".csh").
script_suffix(".fish").
script_suffix(".command").
script_suffix(".ps1").
script_suffix(".bat").
script_suffix(".cmd").
script_suffix(".service").
script_suffix(".mk").

script_part("makefile").
script_part("gnumakefile").
script_part("justfile").
script_part("dockerfile").
script_part("containerfile").
script_part("jenkinsfile").
script_part("vagrantfile").
script_part("procfile").
script_part("package.json").
script_part("tox.ini").
script_part(".github").
script_part(".gitlab-ci.yml").
script_part(".travis.yml").
script_part(".circleci").
script_part("azure-pipelines.yml").
script_part("bitbucket-pipelines.yml").
script_part(".drone.yml").
script_part(".husky").
script_part(".githooks").
script_part(".pre-commit-config.yaml").
script_part(".devcontainer").
script_part("hooks").
script_part("docker-compose.yml").
script_part("compose.yaml").

writes_script(Id) :-
  writes_file(Id),
  action_path_suffix(Id, Suffix),
  script_suffix(Suffix).

writes_script(Id) :-
  writes_file(Id),
  action_path_part(Id, Part),
  script_part(Part).

writes_script(Id) :-
  writes_file(Id),
  pending_action(Id, _, _, Payload, _),
  :string:starts_with(Payload, "#!").

writes_script(Id) :-
  writes_file(Id),
  pending_action(Id, _, _, Payload, _),
  :string:contains(Payload, "\"#!").

# What comes of it.

refused(Id, Reason) :-
  read_as_command(Id, Source),
  destroys(Id, Source, Reason).

refused(Id, Reason) :-
  run_now(Id, Source),
  risky(Id, Source, Reason).

refused(Id, Reason) :-
  run_now(Id, /payload),
  risky(Id, /beside, Reason).

refused(Id, Reason) :-
  run_now(Id, Source),
  hidden_command(Id, Source, Reason).

needs_approval(Id, Reason) :-
  writes_script(Id),
  risky(Id, _, Reason).

# Removing.

rm_call(Id, Source, N) :- read_call(Id, Source, N, "rm").

find_call(Id, Source, N) :- read_call(Id, Source, N, "find").

chmod_call(Id, Source, N) :- read_call(Id, Source, N, "chmod").

chown_call(Id, Source, N) :- read_call(Id, Source, N, "chown").

kill_call(Id, Source, N) :- read_call(Id, Source, N, "kill").

recursive(Id, Source, N) :- shell_flag(Id, Source, N, "r").
recursive(Id, Source, N) :- shell_flag(Id, Source, N, "R").
recursive(Id, Source, N) :- shell_flag(Id, Source, N, "recursive").

forced(Id, Source, N) :- shell_flag(Id, Source, N, "f").
forced(Id, Source, N) :- shell_flag(Id, Source, N, "force").

whole_directory("*").
whole_directory("./*").
whole_directory(".*").
whole_directory("./.*").
whole_directory("**").
whole_directory("./").
whole_directory(".").
whole_directory("..").
whole_directory("../").
whole_directory("~").
whole_directory("~/").
whole_directory("/").
whole_directory("/*").

destroys(Id, Source, "it removes whole directories outside the workspace") :-
  rm_call(Id, Source, N),
  recursive(Id, Source, N),
  shell_writes(Id, Source, N, _, Where),
  beyond(Where).

destroys(Id, Source, "it removes all there is") :-
  rm_call(Id, Source, N),
  recursive(Id, Source, N),
  shell_word(Id, Source, N, Word),
  whole_directory(Word).

destroys(Id, Source, "it removes the workspace") :-
  rm_call(Id, Source, N),
  recursive(Id, Source, N),
  shell_writes(Id, Source, N, ".", _).

destroys(Id, Source, "it removes files of the system") :-
  rm_call(Id, Source, N),
  shell_writes(Id, Source, N, _, /system).

destroys(Id, Source, "it removes files of the system") :-
  rm_call(Id, Source, N),
  shell_flag(Id, Source, N, "no-preserve-root").

risky(Id, Source, "it removes whole directories without asking (rm -rf)") :-
  rm_call(Id, Source, N),
  recursive(Id, Source, N),
  forced(Id, Source, N).

risky(Id, Source, "it removes files outside the workspace") :-
  rm_call(Id, Source, N),
  shell_writes(Id, Source, N, _, Where),
  beyond(Where).

risky(Id, Source, "it moves files that lie outside the workspace") :-
  read_call(Id, Source, N, "mv"),
  shell_path(Id, Source, N, _, Where),
  beyond(Where).

risky(Id, Source, "it removes every file it finds") :-
  find_call(Id, Source, N),
  shell_flag(Id, Source, N, "delete").

destroys(Id, Source, "it removes every file it finds outside the workspace") :-
  find_call(Id, Source, N),
  shell_flag(Id, Source, N, "delete"),
  shell_path(Id, Source, N, _, Where),
  beyond(Where).

removing_program("rm").
removing_program("rmdir").
removing_program("unlink").
removing_program("shred").
removing_program("truncate").

finds_outside(Id, Source, N) :-
  find_call(Id, Source, N),
  shell_path(Id, Source, N, _, Where),
  beyond(Where).

destroys(Id, Source, "it removes what it finds outside the workspace") :-
  finds_outside(Id, Source, _),
  read_call(Id, Source, N, Program),
  removing_program(Program),
  shell_word(Id, Source, N, "{}").

destroys(Id, Source, "it removes what it finds outside the workspace") :-
  finds_outside(Id, Source, N),
  shell_pipes_into(Id, Source, N, Program),
  removing_program(Program).

# Programs that are never run for an agent.

destructive_program("mkfs", "it makes a new file system").
destructive_program("mke2fs", "it makes a new file system").
destructive_program("mkswap", "it makes a new file system").
destructive_program("wipefs", "it wipes a disk").
destructive_program("fdisk", "it changes the partitions of a disk").
destructive_program("sfdisk", "it changes the partitions of a disk").
destructive_program("cfdisk", "it changes the partitions of a disk").
destructive_program("parted", "it changes the partitions of a disk").
destructive_program("blkdiscard", "it wipes a disk").
destructive_program("hdparm", "it changes a disk").
destructive_program("shred", "it destroys files beyond recovery").
destructive_program("srm", "it destroys files beyond recovery").
destructive_program("shutdown", "it stops the machine").
destructive_program("reboot", "it stops the machine").
destructive_program("halt", "it stops the machine").
destructive_program("poweroff", "it stops the machine").
destructive_program("telinit", "it stops the machine").
destructive_program("init", "it stops the machine").
destructive_program("kexec", "it stops the machine").
destructive_program("killall5", "it ends every process").
destructive_program("insmod", "it changes the kernel").
destructive_program("rmmod", "it changes the kernel").
destructive_program("modprobe", "it changes the kernel").
destructive_program("userdel", "it changes who may use the machine").
destructive_program("useradd", "it changes who may use the machine").
destructive_program("usermod", "it changes who may use the machine").
destructive_program("adduser", "it changes who may use the machine").
destructive_program("passwd", "it changes who may use the machine").
destructive_program("chpasswd", "it changes who may use the machine").
destructive_program("visudo", "it changes who may use the machine").
destructive_program("secret-tool", "it reads stored passwords").
destructive_program("mimikatz", "it reads stored passwords").
destructive_program("format.com", "it makes a new file system").
destructive_program("vssadmin", "it removes backups").
destructive_program("diskpart", "it changes the partitions of a disk").

destroys(Id, Source, Reason) :-
  read_call(Id, Source, _, Program),
  destructive_program(Program, Reason).

destroys(Id, Source, "it makes a new file system") :-
  read_call(Id, Source, _, Program),
  :string:starts_with(Program, "mkfs.").

# Processes.

destroys(Id, Source, "it ends every process") :-
  kill_call(Id, Source, N),
  shell_word(Id, Source, N, "-1").

destroys(Id, Source, "it ends the first process") :-
  kill_call(Id, Source, N),
  shell_word(Id, Source, N, "1").

destroys(Id, Source, "it starts itself without end") :-
  read_call(Id, Source, N, ":"),
  shell_pipes_into(Id, Source, N, ":").

risky(Id, Source, "it starts itself without end") :-
  read_call(Id, Source, N, Program),
  shell_pipes_into(Id, Source, N, Program),
  !read_only_program(Program).

# Writing where only the system writes.

quiet_device("/dev/null").
quiet_device("/dev/stdout").
quiet_device("/dev/stderr").
quiet_device("/dev/tty").

destroys(Id, Source, Reason) :-
  shell_writes(Id, Source, _, Path, /system),
  !quiet_device(Path),
  Reason = fn:string:concat("it writes to a file of the system: ", Path).

risky(Id, Source, Reason) :-
  shell_writes(Id, Source, _, Path, /unclear),
  :string:contains(Path, ".."),
  Reason = fn:string:concat("it writes to a path that leads out of the workspace: ", Path).

open_mode("777").
open_mode("0777").
open_mode("1777").
open_mode("666").
open_mode("0666").
open_mode("a+rwx").
open_mode("ugo+rwx").
open_mode("+rwx").
open_mode("a+w").
open_mode("o+w").
open_mode("o+rwx").
open_mode("a=rwx").
open_mode("ugo=rwx").
open_mode("u+s").
open_mode("g+s").
open_mode("+s").
open_mode("4755").
open_mode("4777").
open_mode("6755").
open_mode("2755").

risky(Id, Source, "it lets everybody change files, or lets them run as their owner") :-
  chmod_call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  open_mode(Word).

destroys(Id, Source, "it changes the modes of files outside the workspace") :-
  chmod_call(Id, Source, N),
  shell_writes(Id, Source, N, _, Where),
  beyond(Where).

risky(Id, Source, "it changes the owner of whole directories") :-
  chown_call(Id, Source, N),
  recursive(Id, Source, N).

destroys(Id, Source, "it changes the owner of files outside the workspace") :-
  chown_call(Id, Source, N),
  shell_writes(Id, Source, N, _, Where),
  beyond(Where).

# Running what nobody has read.

shell_program("sh").
shell_program("bash").
shell_program("dash").
shell_program("zsh").
shell_program("ksh").
shell_program("ash").
shell_program("mksh").
shell_program("fish").
shell_program("csh").
shell_program("tcsh").
shell_program("rbash").
shell_program("pwsh").
shell_program("powershell").
shell_program("eval").
shell_program("source").
shell_program(".").

interpreter_program("python").
interpreter_program("python2").
interpreter_program("python3").
interpreter_program("pypy").
interpreter_program("pypy3").
interpreter_program("perl").
interpreter_program("ruby").
interpreter_program("node").
interpreter_program("nodejs").
interpreter_program("deno").
interpreter_program("bun").
interpreter_program("php").
interpreter_program("lua").
interpreter_program("Rscript").
interpreter_program("osascript").
interpreter_program("tclsh").

source_of_surprise("curl").
source_of_surprise("wget").
source_of_surprise("fetch").
source_of_surprise("aria2c").
source_of_surprise("nc").
source_of_surprise("ncat").
source_of_surprise("netcat").
source_of_surprise("socat").
source_of_surprise("ssh").
source_of_surprise("dig").
source_of_surprise("base64").
source_of_surprise("base32").
source_of_surprise("xxd").
source_of_surprise("openssl").
source_of_surprise("uudecode").
source_of_surprise("gunzip").
source_of_surprise("zcat").
source_of_surprise("rev").
source_of_surprise("tr").

risky(Id, Source, "it pipes into a shell, so what would be run cannot be read") :-
  shell_pipes_into(Id, Source, _, Program),
  shell_program(Program).

destroys(Id, Source, "it runs what it fetched or decoded, unread") :-
  read_call(Id, Source, N, From),
  source_of_surprise(From),
  shell_pipes_into(Id, Source, N, Program),
  shell_program(Program).

destroys(Id, Source, "it runs what it fetched or decoded, unread") :-
  read_call(Id, Source, N, From),
  source_of_surprise(From),
  shell_pipes_into(Id, Source, N, Program),
  interpreter_program(Program).

fetching_program("curl").
fetching_program("wget").
fetching_program("aria2c").
fetching_program("scp").
fetching_program("rsync").
fetching_program("ftp").
fetching_program("sftp").

risky(Id, Source, "it runs what it fetched or decoded, unread") :-
  shell_unclear(Id, Source, "it runs a file that it writes"),
  read_call(Id, Source, _, From),
  fetching_program(From).

hidden_command(Id, Source, "eval hides what is run") :- read_call(Id, Source, _, "eval").

unclear_text("computed").
unclear_text("hides").
unclear_text("a pattern").
unclear_text("LD_").
unclear_text("DYLD_").
unclear_text("BASH_ENV").

hidden_command(Id, Source, Reason) :-
  shell_unclear(Id, Source, Why),
  unclear_text(Text),
  :string:contains(Why, Text),
  Reason = fn:string:concat("what would be run is hidden: ", Why).

# Other people's rights, other people's machines.

privileged_program("sudo").
privileged_program("su").
privileged_program("doas").
privileged_program("pkexec").
privileged_program("runuser").
privileged_program("sudoedit").
privileged_program("gosu").
privileged_program("nsenter").
privileged_program("chroot").
privileged_program("setcap").
privileged_program("capsh").

risky(Id, Source, Reason) :-
  read_call(Id, Source, _, Program),
  privileged_program(Program),
  Reason = fn:string:concat("it takes rights the agent does not have: ", Program).

destroys(Id, Source, "it opens a door into this machine") :-
  shell_word(Id, Source, _, Word),
  :string:contains(Word, "/dev/tcp/").

destroys(Id, Source, "it opens a door into this machine") :-
  shell_writes(Id, Source, _, Path, _),
  :string:contains(Path, "/dev/tcp/").

destroys(Id, Source, "it opens a door into this machine") :-
  read_call(Id, Source, N, Program),
  listening_program(Program),
  shell_flag(Id, Source, N, Flag),
  handover_flag(Flag).

destroys(Id, Source, "it opens a door into this machine") :-
  read_call(Id, Source, N, "socat"),
  shell_word(Id, Source, N, Word),
  socat_address(Text),
  :string:contains(Word, Text).

Decl listening_program(Program)
  descr [doc("a program that joins a connection and a command")]
  bound [/string].

Decl handover_flag(Flag)
  descr [doc("its flags for that")]
  bound [/string].

Decl socat_address(Text)
  descr [doc("an address of socat that is a command")]
  bound [/string].

listening_program("nc").
listening_program("ncat").
listening_program("netcat").

handover_flag("e").
handover_flag("c").
handover_flag("exec").
handover_flag("sh-exec").
handover_flag("lua-exec").

socat_address("EXEC").
socat_address("exec").
socat_address("SYSTEM").
socat_address("system").

risky(Id, Source, "it prints stored passwords") :- read_call(Id, Source, _, "security").

risky(Id, Source, "it prints the commands that were typed before") :- read_call(Id, Source, _, "history").

risky(Id, Source, "it exports secret keys") :-
  read_call(Id, Source, N, "gpg"),
  shell_flag(Id, Source, N, Flag),
  :string:starts_with(Flag, "export-secret").

# Git, over what others did.

git_class(/git).
git_class(/git_push).
git_class(/git_commit).
git_class(/git_force).
git_class(/git_merge).
git_class(/git_read).

git_call(Id, Source, N) :- read_call(Id, Source, N, "git").

git_tool(Id) :-
  class_of(Id, Class),
  git_class(Class).

git_call(Id, Source, N) :-
  git_tool(Id),
  read_call(Id, Source, N, _).

git_pushes(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_word(Id, Source, N, "push").

git_pushes(Id, Source, N) :-
  git_call(Id, Source, N),
  read_call(Id, Source, N, "push").

git_pushes(Id, Source, N) :-
  class_of(Id, /git_push),
  git_call(Id, Source, N).

# The tool's operation and its arguments may lie under two keys, each read as a command of its own.
git_pushes(Id, Source, M) :-
  class_of(Id, /git),
  git_call(Id, Source, N),
  read_call(Id, Source, N, "push"),
  git_call(Id, Source, M).

git_pushes(Id, /payload, M) :-
  class_of(Id, /git),
  shell_call(Id, /target, _, "push"),
  git_call(Id, /payload, M).

risky(Id, Source, "it pushes over what others did") :-
  git_pushes(Id, Source, N),
  shell_flag(Id, Source, N, Flag),
  :string:starts_with(Flag, "force").

risky(Id, Source, "it pushes over what others did") :-
  git_pushes(Id, Source, N),
  shell_flag(Id, Source, N, "f").

risky(Id, Source, "it pushes over what others did") :-
  git_pushes(Id, Source, N),
  shell_flag(Id, Source, N, "mirror").

risky(Id, Source, "it pushes over what others did") :-
  git_pushes(Id, Source, N),
  shell_word(Id, Source, N, Word),
  :string:starts_with(Word, "+").

risky(Id, Source, "it pushes over what others did") :-
  git_pushes(Id, Source, N),
  read_call(Id, Source, N, Program),
  push_force(Program).

Decl push_force(Word)
  descr [doc("an argument that makes a push overwrite, standing alone in a list of arguments")]
  bound [/string].

push_force("--force").
push_force("-f").
push_force("--force-with-lease").
push_force("--mirror").

risky(Id, Source, "it removes a branch that others may use") :-
  git_pushes(Id, Source, N),
  shell_flag(Id, Source, N, "delete").

risky(Id, Source, "it removes a branch that others may use") :-
  git_pushes(Id, Source, N),
  shell_word(Id, Source, N, Word),
  :string:starts_with(Word, ":").

risky(Id, /payload, "it pushes over what others did") :-
  git_tool(Id),
  class_of(Id, Class),
  Class != /git_force,
  pending_action(Id, _, _, Payload, _),
  :string:contains(Payload, "\"force\""),
  :string:contains(Payload, "true").
