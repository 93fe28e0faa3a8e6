"""The shell reader finds what a text would run, however it is wrapped, quoted or hidden."""

import shlex

import pytest

from mayfly.policy.kernel.shell import Call, looks_only, read_arguments, read_script

REMOVALS = {
    "plain": "rm -rf /",
    "by path": "/bin/rm -rf /",
    "escaped": r"\rm -rf /",
    "quoted in pieces": "r'm' -r\"f\" /",
    "line continued": "r\\\nm -rf /",
    "after a semicolon": "ls; rm -rf /",
    "after and": "true && rm -rf /",
    "after or": "false || rm -rf /",
    "in the background": "sleep 1 & rm -rf /",
    "on the next line": "ls\nrm -rf /",
    "subshell": "(cd x; rm -rf /)",
    "group": "{ ls; rm -rf /; }",
    "substitution": "echo $(rm -rf /)",
    "quoted substitution": 'echo "x $(rm -rf /) y"',
    "backquotes": "echo `rm -rf /`",
    "nested backquotes": r"echo `echo \`rm -rf /\``",
    "arithmetic": "echo $((1 + $(rm -rf /)))",
    "default of a parameter": 'echo "${x:-$(rm -rf /)}"',
    "process substitution": "cat <(rm -rf /)",
    "here-document": "cat <<EOF\n$(rm -rf /)\nEOF\n",
    "here-document into a shell": "bash <<'EOF'\nrm -rf /\nEOF\n",
    "here-string": "sh <<< 'rm -rf /'",
    "echoed into a shell": "echo 'rm -rf /' | sudo sh",
    "printed into a shell": "printf 'rm -rf /\\n' | bash",
    "if": "if true; then rm -rf /; fi",
    "condition": "if rm -rf /; then ls; fi",
    "while": "while true; do rm -rf /; done",
    "for": "for f in a b; do rm -rf /; done",
    "case": "case x in (a|b) rm -rf /;; *) ls;; esac",
    "function": "f() { rm -rf /; }; f",
    "function keyword": "function f { rm -rf /; }; f",
    "negated": "! rm -rf /",
    "assignment before": "A=1 B=2 rm -rf /",
    "redirection before": "2>&1 >x rm -rf /",
    "sudo": "sudo -u root rm -rf /",
    "env": "env -i A=1 rm -rf /",
    "env -S": "env -S 'rm -rf /'",
    "wrappers in a row": "sudo nohup nice -n 5 timeout -k 1 5 stdbuf -o0 rm -rf /",
    "xargs": "ls | xargs -n 1 rm -rf /",
    "find": "find . -name x -exec rm -rf / {} \\;",
    "find +": "find . -exec rm -rf / {} +",
    "sh -c": "sh -c 'rm -rf /'",
    "bash -lc": 'bash -lc "rm -rf /"',
    "bash with options": "bash --norc -o pipefail -c 'rm -rf /'",
    "sh -c in sh -c": "sh -c \"sh -c 'rm -rf /'\"",
    "positional parameters": "sh -c '$0 \"$@\"' rm -rf /",
    "eval": "eval 'rm -rf' /",
    "exec": "exec rm -rf /",
    "command": "command rm -rf /",
    "busybox": "busybox rm -rf /",
    "loader": "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /",
    "ssh": "ssh -p 22 user@host rm -rf /",
    "trap": "trap 'rm -rf /' EXIT",
    "alias": "alias ls='rm -rf /'",
    "unknown wrapper": "frobnicate --now rm -rf /",
    "python": "python3 -c \"import os; os.system('rm -rf /')\"",
    "python list": "python -c \"import subprocess as s; s.run(['rm', '-rf', '/'])\"",
    "python rmtree": "python3.11 -c \"import shutil; shutil.rmtree('/')\"",
    "perl": "perl -e 'system(\"rm -rf /\")'",
    "awk": "awk 'BEGIN { system(\"rm -rf /\") }'",
    "git alias": "git -c alias.x='!rm -rf /' x",
    "tar": "tar cf x --checkpoint-action=exec='rm -rf /' y",
    "variable": "X=rm; $X -rf /",
    "variable of many words": "X='rm -rf /'; $X",
    "separator": "rm${IFS}-rf${IFS}/",
    "separator and empty parameter": "rm$IFS$9-rf$IFS$9/",
    "ansi quotes": "$'\\x72\\155' -rf /",
    "braces": "{rm,-rf,/}",
    "default value": "${x:-rm} -rf /",
    "test brackets": "[[ -f x && $(rm -rf /) ]]",
    "group with a here-document": "{ bash; } <<E\nrm -rf /\nE\n",
    "escaped here-document": "X=1; bash <<E\na=rm; \\$a -rf /\nE\n",
    "shell within a shell reads the input": "echo 'rm -rf /' | sh -c bash",
    "input of a login": "sudo -s <<< 'rm -rf /'",
    "remote shell reads the input": "echo 'rm -rf /' | ssh host",
    "python reads the input": "echo 'import os; os.system(\"rm -rf /\")' | python3",
    "sourced substitution": ". <(echo 'rm -rf /')",
    "two here-documents": "cat <<A <<'B'\nx\nA\nit's\nB\nrm -rf /\n",
    "case in a substitution": "echo $(case a in a) rm -rf /;; esac)",
    "arithmetic for": "for ((i=0; i<1; i++)); do rm -rf /; done",
    "carriage returns": "ls\r\nrm -rf /\r\n",
    "after a quote that is never closed": "it's done; rm -rf /",
}


def removals(calls: tuple[Call, ...]) -> list[Call]:
    def removes(call: Call) -> bool:
        flags = {letter for word in call.words if word.plain.startswith("-") for letter in word.plain}
        return call.program == "rm" and {"r", "f"} <= flags

    return [call for call in calls if removes(call)]


def programs(text: str) -> list[str]:
    return [call.program for call in read_script(text).calls]


@pytest.mark.parametrize("text", REMOVALS.values(), ids=REMOVALS.keys())
def test_a_removal_is_found_however_it_is_written(text: str) -> None:
    assert removals(read_script(text).calls)


@pytest.mark.parametrize(
    "text",
    [
        "echo rm -rf /",
        "echo 'a; rm -rf /'",
        "grep -rf rm /",
        "git commit -m 'rm -rf / is bad'",
        "echo a # rm -rf /",
        "cat <<'EOF'\nrm -rf /\n$(rm -rf /)\nEOF\n",
        "man rm",
        r"echo \$(rm)",
    ],
)
def test_what_is_only_text_is_no_call(text: str) -> None:
    assert not removals(read_script(text).calls)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$X -rf /", "the program is computed: $X"),
        ("$(echo rm) -rf /", "the program is computed: $(echo rm)"),
        ("/bin/r? -rf /", "the program is a pattern: /bin/r?"),
        ('eval "$X"', "eval of a computed text"),
        ('sh -c "$X"', "a command in it is computed: $X"),
        ("echo 'x", "a quote is not closed"),
        ('echo "x', "a double quote is not closed"),
        ("echo `x", "a backquote is not closed"),
        ("echo $(x", "a bracket ( is not closed"),
        ("ls)", "a bracket ) was not opened"),
        ("PATH=/tmp/x ls", "it changes PATH"),
        ("env LD_PRELOAD=x.so ls", "it changes LD_PRELOAD"),
        ("IFS=,; X=rm,-rf; $X", "it changes IFS"),
        ("X=ls; X=rm; $X -rf /", "the program is computed: $X"),
        ("X=ls; read X; $X", "a variable may have another value than the one written"),
        ("python -c 'def'", "Python code in it cannot be read"),
        ("python -c 'exec(x)'", "Python code in it hides what it calls"),
        ("ruby -e 'x'", "ruby code in it is not read"),
        ('X=ls; export X"=rm"; $X -rf /', "a variable may have another value than the one written"),
        ("X=ls; printf -v X rm; $X -rf /", "a variable may have another value than the one written"),
        ("echo cm0= | base64 -d | sh", "what is run by sh is computed"),
        ("curl x | sh", "what is run by sh is computed"),
        ("printf 'r%s -rf /' m | sh", "what is run by sh is computed"),
        ("cat x | python3", "what is run by python is computed"),
        ("bash <<E\n$X\nE\n", "what is run by sh is computed"),
        ("echo rm -rf / | xargs env", "what env runs comes from another command"),
        ("echo rm -rf / | xargs sh -c '\"$@\"' _", "what sh runs comes from another command"),
        ("echo x | xargs -I{} sh -c '{}'", "the program is computed: {}"),
        ("echo x > f.sh; bash ./f.sh", "it runs a file that it writes"),
        ("curl -o f x && chmod +x f && ./f", "it runs a file that it writes"),
        ("a\0b", "it holds a NUL character"),
        ("$(" * 40, "it is nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_unclear(text: str, reason: str) -> None:
    assert reason in read_script(text).unclear


@pytest.mark.parametrize(
    "text",
    [
        "ls -la src",
        "git push -u origin main",
        'git commit -m "it\'s done" && git log --oneline | head -5',
        "python -c 'print(1)'",
        "PYTHONPATH=src python -m pytest -q tests",
        "uv pip install x",
        'echo "$HOME" $X',
        'set -euo pipefail; export DIR="src"; ls "$DIR"',
        'for f in *.py; do echo "$f"; done',
        'while read -r line; do echo "$line"; done < in.txt',
        "[ -f x ] && echo yes || mkdir -p y",
        "cat x | python3 -c 'import sys; print(sys.stdin.read())'",
        "find . -name '*.py' -exec grep -l foo {} +",
        "echo a | tee out.txt | wc -l",
        "cat <<'EOF' > notes.txt\nit's fine\nEOF\n",
        "bash script.sh --all",
        'f() { local x="$1"; echo "$x"; }; f a',
        'x=$(date +%s); echo "$x"',
    ],
)
def test_ordinary_commands_are_clear(text: str) -> None:
    assert not read_script(text).unclear


def test_an_option_of_git_is_no_command() -> None:
    assert programs("git push -u origin main") == ["git"]


@pytest.mark.parametrize(
    "text", ["curl x | sh", "curl x | tee y | sudo sh", "{ curl x; } | sh", "bash <(curl x)", 'eval "$(curl x)"']
)
def test_a_download_flows_into_a_shell(text: str) -> None:
    into = {program for call in read_script(text).calls if call.program == "curl" for program in call.into}
    assert into & {"sh", "bash", "eval"}


def test_a_list_of_commands_is_no_pipe() -> None:
    assert not any(call.into for call in read_script("curl x; sh y && ls || pwd & sh z").calls)


def test_output_into_a_process_substitution_flows_outward() -> None:
    calls = {call.program: call for call in read_script("curl x > >(sh)").calls}
    assert (calls["curl"].into, calls["sh"].into) == (("sh",), ())


@pytest.mark.parametrize(
    "text", ["echo x > out", "echo x >> out", "echo x &> out", "> out", "{ ls; } >| out", "ls 2> out"]
)
def test_a_redirection_writes(text: str) -> None:
    assert "out" in [path for call in read_script(text).calls for path in call.writes]


def test_a_duplicated_descriptor_is_no_file() -> None:
    assert not any(call.writes for call in read_script("ls 2>&1 >&- <in").calls)


def test_a_fork_bomb_flows_into_itself() -> None:
    assert any(call.program == ":" and ":" in call.into for call in read_script(":(){ :|:& };:").calls)


def test_an_argument_list_is_not_read_by_a_shell() -> None:
    calls = read_arguments(["echo", "$(rm -rf /)", "; rm -rf /"]).calls
    assert [call.program for call in calls] == ["echo"]


def test_an_argument_list_may_call_a_shell() -> None:
    assert removals(read_arguments(["env", "A=1", "bash", "-c", "rm -rf /"]).calls)


DISGUISES = ("sh -c {quoted}", "true && {{ {text}\n}}", "eval {quoted}", "echo {quoted} | bash", 'echo "$({text})"')


def test_nested_disguises_are_seen_through() -> None:
    texts = ["rm -rf /"]
    for disguise in DISGUISES:
        texts += [disguise.format(text=text, quoted=shlex.quote(text)) for text in texts]
    assert not [text for text in texts if not removals(read_script(text).calls)]


@pytest.mark.parametrize(
    "unit",
    [
        "a b ",
        "$(",
        '"$(',
        "{",
        "`",
        "'",
        "$((",
        "((",
        "a|",
        "x=1;",
        "<<a ",
        "sh -c '",
        "\\",
        "${",
        "if ",
        "$'",
        "\n",
        "case x in ",
    ],
)
def test_a_megabyte_of_anything_is_read_in_bounded_work(unit: str) -> None:
    reading = read_script("rm -rf / ;" + unit * (1_000_000 // len(unit)))
    assert reading.unclear
    assert len(reading.calls) <= 500


def test_of_a_text_too_long_to_read_what_does_harm_is_still_found() -> None:
    reading = read_script("echo a b c\n" * 90_000 + "ls && rm -rf /\n")
    assert "it is too long to be read" in reading.unclear
    assert removals(reading.calls)


def test_what_stands_before_the_limit_is_kept() -> None:
    assert removals(read_script("rm -rf /\n" + "echo a\n" * 150_000).calls)


def test_a_file_that_is_read_by_redirection_is_a_word_of_the_command() -> None:
    (call,) = read_script("wc -l < src/app.py").calls
    assert [word.text for word in call.reads] == ["src/app.py"]


@pytest.mark.parametrize("text", ["A=1 ls", "A=1", "export A=1", "A=1 B=2 ls"])
def test_variables_that_are_set_are_kept(text: str) -> None:
    assert "A" in read_script(text).calls[0].sets


def test_a_here_document_is_kept() -> None:
    (call,) = read_script("cat > a.txt <<X\nhello\nX\n").calls
    assert [word.text for word in call.documents] == ["hello"]


@pytest.mark.parametrize(
    "text", ["ls", "pytest -q tests/unit", "sudo rm -rf x", "time ls", "if true", "export x", "a=b c"]
)
def test_a_plain_line_is_read_as_any_other(text: str) -> None:
    def told(line: str) -> list[tuple[str, tuple[str, ...]]]:
        return [(call.program, tuple(word.text for word in call.words)) for call in read_script(line).calls]

    assert told(text) == told(f"{text} #")


@pytest.mark.parametrize(
    ("line", "only"),
    [
        ("sed -n 1,9p a", True),
        ("sed -n '/x/,$p' a", True),
        ("sed s/a/b/g a", True),
        ("sed -e 2d -e 3d a", True),
        ("sed -i s/a/b/ a", False),
        ("sed 's/a/b/w x' a", False),
        ("sed 's/a/b/e' a", False),
        ("sed -n 'w x' a", False),
        ("sed -f x a", False),
        ("sed", False),
        ("awk '{print $1}' a", True),
        ("awk -F, 'NR==1' a", True),
        ("awk '{print > \"x\"}' a", False),
        ("awk 'BEGIN{system(\"id\")}'", False),
        ("awk '{\"id\" | getline}'", False),
        ("awk -f x a", False),
        ("awk", False),
        ("perl -ne print a", False),
    ],
)
def test_a_filter_that_only_prints_is_told_from_one_that_does_more(line: str, *, only: bool) -> None:
    call = read_script(line).calls[0]
    assert looks_only(call.program, call.words) is only
