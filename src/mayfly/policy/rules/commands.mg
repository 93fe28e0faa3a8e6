# Commands that need nobody's agreement: they look, they test, they build, or they change files of the workspace as the
# file tools would. A line passes only if every command in it does; whatever programs.mg does not know needs an approval.

Decl call(Id, Source, N)
  descr [doc("a simple command of an action that runs commands")]
  bound [/any, /name, /number].

Decl doubtful_call(Id, Source, N)
  descr [doc("the command reaches out of the workspace, or part of it is not known before it runs")]
  bound [/any, /name, /number].

Decl guarded_call(Id, Source, N)
  descr [doc("the command names what runs by itself")]
  bound [/any, /name, /number].

Decl version_asked(Id, Source, N)
  descr [doc("the command asks a program for its version")]
  bound [/any, /name, /number].

Decl more_asked(Id, Source, N)
  descr [doc("a word of the command is about more than the version")]
  bound [/any, /name, /number].

Decl git_more(Id, Source, N)
  descr [doc("a git command does more than look or commit, apart from a new branch")]
  bound [/any, /name, /number].

Decl changed_call(Id, Source, N)
  descr [doc("a program that only looks is given a flag with which it does more")]
  bound [/any, /name, /number].

Decl own_program(Id, Source, N)
  descr [doc("the program lies in the workspace, so its name says nothing")]
  bound [/any, /name, /number].

Decl stopped_call(Id, Source, N)
  descr [doc("a test or build command has a word with which it does something else")]
  bound [/any, /name, /number].

Decl known_word(Id, Source, N, Word)
  descr [doc("a word of a strict command is known")]
  bound [/any, /name, /number, /string].

Decl unknown_word(Id, Source, N)
  descr [doc("a strict command has a word that is not known")]
  bound [/any, /name, /number].

Decl git_doubtful(Id, Source, N)
  descr [doc("a git command does more than look or commit")]
  bound [/any, /name, /number].

Decl listed_call(Id, Source, N)
  descr [doc("the command needs nobody's agreement")]
  bound [/any, /name, /number].

Decl unlisted_call(Id)
  descr [doc("some command of the action needs an approval")]
  bound [/any].

Decl some_call(Id)
  descr [doc("the action holds a command")]
  bound [/any].

Decl write_refused(Id)
  descr [doc("a command writes files, and the one who acts may not")]
  bound [/any].

Decl unclear_line(Id)
  descr [doc("something of the line cannot be read")]
  bound [/any].

Decl given_setting(Id, Name)
  descr [doc("a variable that a command of the action is given a value for")]
  bound [/any, /string].

Decl some_word(Id, Source, N)
  descr [doc("the command has a word")]
  bound [/any, /name, /number].

Decl strict_call(Id, Source, N, Program)
  descr [doc("a command of which every word has to be known")]
  bound [/any, /name, /number, /string].

Decl long_stop(Program, Word)
  descr [doc("a long option with which a test or build command does something else")]
  bound [/string, /string].

Decl cd_call(Id, Source, N)
  descr [doc("a call of cd")]
  bound [/any, /name, /number].

Decl python_call(Id, Source, N)
  descr [doc("a call of python")]
  bound [/any, /name, /number].

Decl plain_file(Path)
  descr [doc("a file of which nothing is run by its name")]
  bound [/string].

Decl xargs_call(Id, Source, N)
  descr [doc("a call of xargs")]
  bound [/any, /name, /number].

Decl xargs_else(Id, Source)
  descr [doc("what xargs is given may be more than names of files in the workspace")]
  bound [/any, /name].

Decl git_pair_call(Id, Source, N)
  descr [doc("a git command whose two words together only look")]
  bound [/any, /name, /number].

Decl git_tag(Id, Source, N)
  descr [doc("a git command about tags")]
  bound [/any, /name, /number].

Decl git_words_else(Id, Source, N)
  descr [doc("a git command has more words than those that only look")]
  bound [/any, /name, /number].

Decl listed_line(Id)
  descr [doc("every command of the action needs nobody's agreement")]
  bound [/any].

Decl more_than_named(Id)
  descr [doc("the action holds more than one name of something to test or build")]
  bound [/any].

Decl named_work(Class)
  descr [doc("what such an action works on is named, not spelled out as a command")]
  bound [/name].

Decl plain_git(Class)
  descr [doc("git tools that need no approval as long as nothing else is asked of git")]
  bound [/name].

Decl works_by_name(Id)
  descr [doc("the action should be given a name of something to test or build")]
  bound [/any].

Decl uses_plain_git(Id)
  descr [doc("the action is a git tool that needs no approval as long as nothing else is asked of git")]
  bound [/any].

Decl quiet_program(Program)
  descr [doc("a program that only looks, or runs another and does nothing itself")]
  bound [/string].

Decl some_path(Id, Source, N)
  descr [doc("a word of the command was told to be a path")]
  bound [/any, /name, /number].

Decl pattern_sign(Sign)
  descr [doc("a character by which a shell looks for files")]
  bound [/string].

Decl python_else(Id, Source, N)
  descr [doc("python is given code instead of a module")]
  bound [/any, /name, /number].

Decl git_word(Id, Source, N, Word)
  descr [doc("a word that git is given")]
  bound [/any, /name, /number, /string].

call(Id, Source, N) :-
  run_now(Id, Source),
  shell_call(Id, Source, N, _).

# What makes a command doubtful, whatever its program is.

doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_path(Id, Source, N, Path, Where),
  beyond(Where),
  !quiet_device(Path).

doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_writes(Id, Source, N, Path, Where),
  beyond(Where),
  !quiet_device(Path).

doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_computed(Id, Source, N).

doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_host(Id, Source, N, _, _).

doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  :string:starts_with(Word, ".."),
  !some_path(Id, Source, N).

# A pattern that may match a file with a leading dot may match a secret.
doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  :string:starts_with(Word, "."),
  pattern_sign(Sign),
  :string:contains(Word, Sign).

pattern_sign("*").
pattern_sign("?").
pattern_sign("[").

some_path(Id, Source, N) :-
  call(Id, Source, N),
  shell_path(Id, Source, N, _, _).

some_word(Id, Source, N) :-
  call(Id, Source, N),
  shell_word(Id, Source, N, _).

# What is written into a file that may be run is not looked at here.
doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_document(Id, Source, N, Text),
  :string:starts_with(Text, "#!").

doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_document(Id, Source, N, _),
  shell_writes(Id, Source, N, Path, _),
  !plain_file(Path).

plain_file(Path) :-
  shell_document(Id, Source, N, _),
  shell_writes(Id, Source, N, Path, _),
  plain_suffix(Suffix),
  :string:ends_with(Path, Suffix).

# Everything below what runs by itself, settings with passwords among it.
doubtful_call(Id, Source, N) :-
  call(Id, Source, N),
  recursive(Id, Source, N),
  shell_word(Id, Source, N, ".git").

doubtful_call(Id, Source, N) :-
  find_call(Id, Source, N),
  guarded_call(Id, Source, N),
  shell_flag(Id, Source, N, "exec").

# Looking at what runs by itself does no harm; handing it to a program that writes may.
guarded_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_path(Id, Source, N, Path, _),
  guarded_text(Text),
  :string:contains(Path, Text).

guarded_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  guarded_part(Word).

changed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  doubtful_text(Program, Text),
  shell_word(Id, Source, N, Word),
  :string:contains(Word, Text).

changed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  changing_flag(Program, Flag),
  shell_flag(Id, Source, N, Flag).

own_program(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  shell_path(Id, Source, N, Program, _).

own_program(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  shell_path(Id, Source, N, Path, _),
  Ending = fn:string:concat("/", Program),
  :string:ends_with(Path, Ending).

# Looking.

quiet_program(Program) :- read_only_program(Program).

quiet_program(Program) :- wrapper_program(Program).

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  quiet_program(Program),
  !doubtful_call(Id, Source, N),
  !changed_call(Id, Source, N),
  !own_program(Id, Source, N).

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  wrapper_word(Program, Word),
  shell_word(Id, Source, N, Word),
  !doubtful_call(Id, Source, N).

cd_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, "cd").

# `cd` alone goes home, and `cd -` to where one was before.
listed_call(Id, Source, N) :-
  cd_call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  Word != "-",
  Word != "--",
  !doubtful_call(Id, Source, N),
  !guarded_call(Id, Source, N).

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_looks(Id, Source, N),
  !doubtful_call(Id, Source, N),
  !own_program(Id, Source, N).

# The names of files that are handed on are those of the workspace, and not a text that somebody wrote.
xargs_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, "xargs").

xargs_else(Id, Source) :-
  xargs_call(Id, Source, _),
  shell_pipes_into(Id, Source, N, "xargs"),
  shell_call(Id, Source, N, Program),
  !naming_program(Program).

xargs_else(Id, Source) :-
  xargs_call(Id, Source, _),
  shell_call(Id, Source, N, "find"),
  shell_flag(Id, Source, N, "printf").

xargs_else(Id, Source) :-
  xargs_call(Id, Source, _),
  shell_pipes_into(Id, Source, N, "xargs"),
  guarded_call(Id, Source, N).

xargs_else(Id, Source) :-
  xargs_call(Id, Source, _),
  shell_pipes_into(Id, Source, N, "xargs"),
  shell_pipes_into(Id, Source, N, Program),
  Program != "xargs",
  !quiet_program(Program).

listed_call(Id, Source, N) :-
  xargs_call(Id, Source, N),
  shell_pipes_into(Id, Source, _, "xargs"),
  !xargs_else(Id, Source),
  !stopped_call(Id, Source, N),
  !doubtful_call(Id, Source, N),
  !own_program(Id, Source, N).

version_asked(Id, Source, N) :-
  call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  version_word(Word).

more_asked(Id, Source, N) :-
  version_asked(Id, Source, N),
  shell_word(Id, Source, N, Word),
  !version_word(Word).

listed_call(Id, Source, N) :-
  version_asked(Id, Source, N),
  !more_asked(Id, Source, N),
  !own_program(Id, Source, N),
  !doubtful_call(Id, Source, N).

# Testing, building, checking.

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  runner_program(Program),
  !doubtful_call(Id, Source, N),
  !guarded_call(Id, Source, N),
  !stopped_call(Id, Source, N).

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  runner_word(Program, Word),
  shell_word(Id, Source, N, Word),
  !doubtful_call(Id, Source, N),
  !guarded_call(Id, Source, N),
  !stopped_call(Id, Source, N),
  !unknown_word(Id, Source, N).

stopped_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  runner_stop(Program, Word),
  shell_word(Id, Source, N, Word).

stopped_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  long_stop(Program, Word),
  shell_word(Id, Source, N, Given),
  :string:starts_with(Given, Word).

# The same with a value after `=`.
long_stop(Program, Word) :-
  runner_stop(Program, Word),
  :string:starts_with(Word, "--").

strict_call(Id, Source, N, Program) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  runner_strict(Program).

known_word(Id, Source, N, Word) :-
  strict_call(Id, Source, N, Program),
  shell_word(Id, Source, N, Word),
  runner_word(Program, Word).

known_word(Id, Source, N, Word) :-
  strict_call(Id, Source, N, _),
  shell_word(Id, Source, N, Word),
  :string:starts_with(Word, "-").

known_word(Id, Source, N, Word) :-
  strict_call(Id, Source, N, Program),
  shell_word(Id, Source, N, Word),
  strict_argument(Program, Word).

known_word(Id, Source, N, Word) :-
  strict_call(Id, Source, N, Program),
  strict_start(Program, Text),
  shell_word(Id, Source, N, Word),
  :string:starts_with(Word, Text).

unknown_word(Id, Source, N) :-
  strict_call(Id, Source, N, _),
  shell_word(Id, Source, N, Word),
  !known_word(Id, Source, N, Word).

# Without a word it is the first thing that the file says, which is the build by custom.
listed_call(Id, Source, N) :-
  strict_call(Id, Source, N, "make"),
  !some_word(Id, Source, N),
  !doubtful_call(Id, Source, N),
  !own_program(Id, Source, N).

listed_call(Id, Source, N) :-
  python_call(Id, Source, N),
  shell_word(Id, Source, N, "-m"),
  shell_word(Id, Source, N, Module),
  runner_python(Module),
  !doubtful_call(Id, Source, N),
  !guarded_call(Id, Source, N),
  !python_else(Id, Source, N).

python_call(Id, Source, N) :-
  call(Id, Source, N),
  shell_call(Id, Source, N, Program),
  python_program(Program).

python_else(Id, Source, N) :-
  python_call(Id, Source, N),
  shell_flag(Id, Source, N, "c").

python_else(Id, Source, N) :-
  python_call(Id, Source, N),
  shell_word(Id, Source, N, "-").

# Making and copying files, as the file tools would.

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  may_do(/write),
  shell_call(Id, Source, N, Program),
  editing_program(Program),
  !doubtful_call(Id, Source, N),
  !guarded_call(Id, Source, N),
  !own_program(Id, Source, N).

listed_call(Id, Source, N) :-
  chmod_call(Id, Source, N),
  call(Id, Source, N),
  may_do(/write),
  shell_word(Id, Source, N, Mode),
  plain_mode(Mode),
  !doubtful_call(Id, Source, N),
  !guarded_call(Id, Source, N),
  !recursive(Id, Source, N).

# Git.

git_doubtful(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  git_else(Word).

git_doubtful(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_flag(Id, Source, N, Flag),
  git_flag_else(Flag).

# What the git tools are given may begin with a flag, which then stands where a program would.
git_doubtful(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_call(Id, Source, N, Flag),
  :string:starts_with(Flag, "-"),
  !git_plain_flag(Flag).

git_doubtful(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_path(Id, Source, N, Path, _),
  :string:starts_with(Path, "-").

# `git -c name=value` may name a program to run.
git_doubtful(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_flag(Id, Source, N, "c"),
  shell_word(Id, Source, N, Word),
  :string:contains(Word, "=").

git_word(Id, Source, N, Word) :-
  git_call(Id, Source, N),
  shell_word(Id, Source, N, Word).

# The git tools are given the words after `git`, so the first of them stands where a program would.
git_word(Id, Source, N, Word) :-
  git_call(Id, Source, N),
  shell_call(Id, Source, N, Word).

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  git_word(Id, Source, N, Word),
  git_look(Word),
  !doubtful_call(Id, Source, N),
  !git_doubtful(Id, Source, N).

listed_call(Id, Source, N) :-
  call(Id, Source, N),
  may_do(/git),
  git_word(Id, Source, N, Word),
  git_local(Word),
  !doubtful_call(Id, Source, N),
  !git_doubtful(Id, Source, N).

# Some git commands look only together with a second word, or with none.
git_pair_call(Id, Source, N) :-
  git_word(Id, Source, N, First),
  git_pair(First, Second),
  git_word(Id, Source, N, Second).

git_words_else(Id, Source, N) :-
  git_word(Id, Source, N, First),
  git_pair(First, _),
  git_word(Id, Source, N, Word),
  Word != "git",
  Word != First,
  !git_pair(First, Word).

listed_call(Id, Source, N) :-
  git_pair_call(Id, Source, N),
  call(Id, Source, N),
  !git_words_else(Id, Source, N),
  !doubtful_call(Id, Source, N).

git_tag(Id, Source, N) :- git_word(Id, Source, N, "tag").

listed_call(Id, Source, N) :-
  git_tag(Id, Source, N),
  call(Id, Source, N),
  !git_words_else(Id, Source, N),
  !doubtful_call(Id, Source, N).

listed_call(Id, Source, N) :-
  git_tag(Id, Source, N),
  git_pair_call(Id, Source, N),
  call(Id, Source, N),
  !doubtful_call(Id, Source, N).

# A new branch loses nothing, though `git checkout` may.
listed_call(Id, Source, N) :-
  call(Id, Source, N),
  may_do(/git),
  git_word(Id, Source, N, "checkout"),
  shell_flag(Id, Source, N, "b"),
  !doubtful_call(Id, Source, N),
  !git_more(Id, Source, N).

git_more(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_word(Id, Source, N, Word),
  git_else(Word),
  Word != "checkout".

git_more(Id, Source, N) :-
  git_call(Id, Source, N),
  shell_flag(Id, Source, N, Flag),
  git_flag_else(Flag).

# The whole line.

some_call(Id) :- call(Id, _, _).

unlisted_call(Id) :-
  call(Id, Source, N),
  !listed_call(Id, Source, N).

# A redirection without a program empties a file.
unlisted_call(Id) :-
  run_now(Id, Source),
  shell_writes(Id, Source, N, _, _),
  !call(Id, Source, N).

unclear_line(Id) :-
  run_now(Id, Source),
  shell_unclear(Id, Source, _).

unclear_line(Id) :-
  given_setting(Id, Name),
  loaded_start(Text),
  :string:starts_with(Name, Text).

unclear_line(Id) :-
  given_setting(Id, Name),
  loaded_end(Text),
  :string:ends_with(Name, Text).

given_setting(Id, Name) :-
  run_now(Id, Source),
  shell_sets(Id, Source, _, Name).

# Where the payload says that its commands are run.
unclear_line(Id) :-
  run_now(Id, Source),
  shell_path(Id, Source, 0, _, Where),
  beyond(Where).

write_refused(Id) :-
  run_now(Id, Source),
  shell_writes(Id, Source, _, Path, _),
  !quiet_device(Path),
  !may_do(/write).

listed_line(Id) :-
  some_call(Id),
  !unlisted_call(Id),
  !unclear_line(Id).

refused(Id, "the command writes files, and the one who acts may not") :- write_refused(Id).

needs_approval(Id, "not one of the commands that need nobody's agreement") :-
  class_of(Id, /run),
  !listed_line(Id),
  !policy_allowed(Id).

needs_approval(Id, "not one of the git commands that need nobody's agreement") :-
  class_of(Id, /git),
  !listed_line(Id),
  !policy_allowed(Id).

# Tests and builds are named by a path or by a word, or by a command that needs nobody's agreement.

works_by_name(Id) :-
  class_of(Id, Class),
  named_work(Class).

more_than_named(Id) :-
  works_by_name(Id),
  call(Id, Source, N),
  shell_word(Id, Source, N, _).

more_than_named(Id) :-
  works_by_name(Id),
  call(Id, Source, N),
  call(Id, Source, M),
  N != M.

more_than_named(Id) :-
  works_by_name(Id),
  unclear_line(Id).

more_than_named(Id) :-
  works_by_name(Id),
  doubtful_call(Id, _, _).

needs_approval(Id, "more than the tests or the build of the workspace") :-
  more_than_named(Id),
  !listed_line(Id).

named_work(/test).
named_work(/build).

# The git tools for looking and committing are given words for git, which may ask for more.

needs_approval(Id, "git is asked for more than this tool is for") :-
  uses_plain_git(Id),
  run_now(Id, Source),
  git_doubtful(Id, Source, _).

needs_approval(Id, "git is asked for more than this tool is for") :-
  uses_plain_git(Id),
  doubtful_call(Id, _, _).

needs_approval(Id, "git is asked for more than this tool is for") :-
  uses_plain_git(Id),
  unclear_line(Id).

needs_approval(Id, "git is asked for more than this tool is for") :-
  uses_plain_git(Id),
  call(Id, Source, N),
  call(Id, Source, M),
  N < M,
  !listed_line(Id).

uses_plain_git(Id) :-
  class_of(Id, Class),
  plain_git(Class).

plain_git(/git_read).
plain_git(/git_commit).

needs_approval(Id, "it may lose work that is not committed") :-
  pending_action(Id, /git_checkout, _, _, _),
  git_word(Id, _, _, Word),
  whole_directory(Word).
