"""Scenes: a workspace, what a person asks there, what a model answers step by step, and how it has to end.

The answer of the model follows from how often it has spoken already, so a scene that was cut off goes on by itself.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mayfly.testing import ChatReply

PERCEIVES = "Say what the person asks for"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One piece of work from its request to its end."""

    name: str
    request: str
    files: Mapping[str, str]
    intents: Sequence[Mapping[str, str]]
    replies: Sequence[ChatReply]
    ends_with: Mapping[str, str | None] = field(default_factory=dict)
    """What has to stand in files at the end; None: there is none."""
    refused: Sequence[str] = ()
    """The tools that have to be refused on the way."""

    def lay_out(self, workspace: Path) -> None:
        """Make the workspace: its files, as a git repository with one commit."""
        workspace.mkdir(parents=True, exist_ok=True)
        for path, content in self.files.items():
            (workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (workspace / path).write_text(content)
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        for command in (["init", "-q", "-b", "work"], ["add", "-A"], [*identity, "commit", "-q", "-m", "first"]):
            subprocess.run(["git", *command], cwd=workspace, check=True)

    def answer(self, body: dict[str, Any]) -> ChatReply:
        """Be the model."""
        messages = body["messages"]
        if any(PERCEIVES in str(message.get("content")) for message in messages if message["role"] != "user"):
            return ChatReply(text=json.dumps({"intents": list(self.intents)}))
        spoken = sum(1 for message in messages if message["role"] == "assistant")
        return self.replies[min(spoken, len(self.replies) - 1)]


def calls(*named: tuple[str, Mapping[str, object]]) -> ChatReply:
    """Call tools."""
    return ChatReply(calls=list(named))


def says(text: str) -> ChatReply:
    """Say something, and be done."""
    return ChatReply(text=text)


def command(verb: str, target: str = "") -> list[dict[str, str]]:
    """Return what a request asks for, as a model would say it."""
    return [{"category": "command", "verb": verb, "target": target, "constraint": "none"}]


_CALC = "def add(a: int, b: int) -> int:\n    return a - b\n\n\ndef double(a: int) -> int:\n    return add(a, a)\n"
_CALC_TEST = (
    "import unittest\n\nfrom calc import add, double\n\n\nclass Calc(unittest.TestCase):\n"
    "    def test_add(self) -> None:\n        self.assertEqual(add(2, 3), 5)\n\n"
    "    def test_double(self) -> None:\n        self.assertEqual(double(4), 8)\n"
)
_UNITTEST = {"command": "python3 -m unittest -q"}

FIX = Scene(
    name="fix",
    request="Fix the failing test in this repository",
    files={"calc.py": _CALC, "test_calc.py": _CALC_TEST, "README.md": "# calc\n"},
    intents=command("fix", "the failing test"),
    replies=[
        calls(("shell_exec", _UNITTEST)),
        calls(("file_read", {"path": "calc.py"}), ("file_read", {"path": "test_calc.py"})),
        calls(("file_edit", {"path": "calc.py", "edits": [{"old": "return a - b", "new": "return a + b"}]})),
        calls(("shell_exec", _UNITTEST)),
        calls(("git", {"operation": "diff"})),
        says("add subtracted; it adds now, and both tests pass."),
    ],
    ends_with={"calc.py": _CALC.replace("a - b", "a + b"), "test_calc.py": _CALC_TEST},
)

FEATURE = Scene(
    name="feature",
    request="Implement a shout option: shop/greet.py gets it, shop/cli.py offers it, test_greet.py tests it",
    files={
        "shop/__init__.py": "",
        "shop/greet.py": "def greet(name: str) -> str:\n    return f'Hello {name}'\n",
        "shop/cli.py": "import sys\n\nfrom shop.greet import greet\n\nprint(greet(sys.argv[1]))\n",
        "test_greet.py": "import unittest\n\nfrom shop.greet import greet\n\n\nclass Greet(unittest.TestCase):\n"
        "    def test_greet(self) -> None:\n        self.assertEqual(greet('Ann'), 'Hello Ann')\n",
    },
    intents=command("implement", "a shout option"),
    replies=[
        calls(("file_list", {}), ("file_read", {"path": "shop/greet.py"})),
        calls(
            (
                "file_edit",
                {
                    "patch": "--- a/shop/greet.py\n+++ b/shop/greet.py\n@@ -1,2 +1,3 @@\n"
                    "-def greet(name: str) -> str:\n-    return f'Hello {name}'\n"
                    "+def greet(name: str, *, shout: bool = False) -> str:\n+    text = f'Hello {name}'\n"
                    "+    return text.upper() if shout else text\n"
                },
            ),
            (
                "file_write",
                {
                    "path": "shop/cli.py",
                    "content": "import sys\n\nfrom shop.greet import greet\n\n"
                    "print(greet(sys.argv[1], shout='--shout' in sys.argv))\n",
                },
            ),
            (
                "file_edit",
                {
                    "path": "test_greet.py",
                    "edits": [
                        {
                            "old": "'Hello Ann')\n",
                            "new": "'Hello Ann')\n\n    def test_shout(self) -> None:\n"
                            "        self.assertEqual(greet('Ann', shout=True), 'HELLO ANN')\n",
                        }
                    ],
                },
            ),
        ),
        calls(("shell_exec", _UNITTEST), ("shell_exec", {"command": "python3 -m shop.cli Ann --shout"})),
        says("done"),
    ],
    ends_with={
        "shop/greet.py": "def greet(name: str, *, shout: bool = False) -> str:\n    text = f'Hello {name}'\n"
        "    return text.upper() if shout else text\n",
        "shop/cli.py": "import sys\n\nfrom shop.greet import greet\n\n"
        "print(greet(sys.argv[1], shout='--shout' in sys.argv))\n",
    },
)

_SALES = "region,amount\nnorth,10\nsouth,5\nnorth,7\nwest,1\n"
_REPORT = (
    "import csv\nfrom collections import Counter\nsums = Counter()\n"
    "for row in csv.DictReader(open('sales.csv')):\n    sums[row['region']] += int(row['amount'])\n"
    "lines = [f'- {name}: {total}' for name, total in sums.most_common()]\n"
    "open('REPORT.md', 'w').write('# Sales\\n\\n' + '\\n'.join(lines) + '\\n')\n"
)

REPORT = Scene(
    name="report",
    request="Create a report of the sums by region from sales.csv in REPORT.md",
    files={"sales.csv": _SALES},
    intents=command("create", "REPORT.md"),
    replies=[
        calls(("file_read", {"path": "sales.csv"})),
        calls(("shell_exec", {"command": f"python3 - <<'END'\n{_REPORT}END\ncat REPORT.md"})),
        says("north leads with 17."),
    ],
    ends_with={"REPORT.md": "# Sales\n\n- north: 17\n- south: 5\n- west: 1\n", "sales.csv": _SALES},
)

RENAME = Scene(
    name="rename",
    request="Refactor: rename the function fetch_it to fetch_page everywhere",
    files={
        "web.py": "def fetch_it() -> str:\n    return 'page'\n",
        "main.py": "from web import fetch_it\n\nprint(fetch_it())\n",
        "docs/use.md": "Call `fetch_it()`.\n",
    },
    intents=command("refactor", "fetch_it"),
    replies=[
        calls(("file_search", {"pattern": "fetch_it", "plain": True})),
        calls(
            (
                "shell_exec",
                {"command": "grep -rl --exclude-dir=.git fetch_it . | xargs sed -i 's/fetch_it/fetch_page/g'"},
            )
        ),
        calls(("shell_exec", {"command": "python3 main.py && ! grep -rn --exclude-dir=.git fetch_it ."})),
        says("renamed in three files"),
    ],
    ends_with={
        "web.py": "def fetch_page() -> str:\n    return 'page'\n",
        "main.py": "from web import fetch_page\n\nprint(fetch_page())\n",
        "docs/use.md": "Call `fetch_page()`.\n",
    },
)

REVIEW = Scene(
    name="review",
    request="Review the change in calc.py",
    files={"calc.py": _CALC},
    intents=command("review", "calc.py"),
    replies=[
        calls(("file_read", {"path": "calc.py"})),
        calls(("file_write", {"path": "calc.py", "content": "nothing\n"})),
        says("add subtracts. I may not change files as the one who reviews."),
    ],
    ends_with={"calc.py": _CALC},
    refused=["file_write"],
)

RESEARCH = Scene(
    name="research",
    request="Explain how retries are configured, from the docs",
    files={"docs/retries.md": "# Retries\n\nSet `retry.times` to 3.\n", "docs/other.md": "# Other\n"},
    intents=[{"category": "question", "verb": "explain", "target": "retries", "constraint": "none"}],
    replies=[
        calls(("file_search", {"pattern": "retr", "ignore_case": True, "path": "docs"})),
        calls(("file_read", {"path": "docs/retries.md"})),
        says("Set retry.times; docs/retries.md says 3."),
    ],
    ends_with={"docs/retries.md": "# Retries\n\nSet `retry.times` to 3.\n"},
)

SCENES = {scene.name: scene for scene in (FIX, FEATURE, REPORT, RENAME, REVIEW, RESEARCH)}
Check = Callable[[Path], None]
