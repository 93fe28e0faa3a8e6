"""Kill sessions at random instants and resume them: `python tests/session/storm.py --kills 20`.

Every round lays a scene out anew, kills the session that works on it once, lets another process go on, and compares:
the files are those of a session that nobody killed, and no call's changes were committed twice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from mayfly.core import Settings
from mayfly.sandbox.workbench import commits
from mayfly.session import sessions
from mayfly.store import Ledger
from mayfly.testing import chat_server

sys.path.insert(0, str(Path(__file__).parents[1]))
from session.scenes import SCENES, Scene

PROGRAM = """
import sys
from pathlib import Path
from mayfly.core import Settings
from mayfly.runtime import Session
state, workspace, model, request, mark = sys.argv[1:6]
again = "" if mark == "again" else None
with Session(Settings(state_dir=state), workspace=Path(workspace), model=model, resume=again) as session:
    print("OPEN", flush=True)
    ended = session.go_on() if session.log.turns else session.turn(request)
    print("ENDED", ended.status if ended is not None else session.log.turns[-1].ended.status, flush=True)
"""


def run(place: Path, model: str, request: str, *, kill_after: float | None) -> str:
    """Run the session of *place*, begun or gone on with; with *kill_after*, kill it so long after it is open."""
    mark = "again" if _has_begun(place / "state") else "first"
    words = [sys.executable, "-c", PROGRAM, str(place / "state"), str(place / "work"), model, request, mark]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as job:
        assert job.stdout is not None
        first = job.stdout.readline()
        if kill_after is not None:
            time.sleep(kill_after)
            os.killpg(job.pid, signal.SIGKILL)
        return first + job.stdout.read()


def _has_begun(state: Path) -> bool:
    ledger = Ledger.find(Settings(state_dir=str(state))) if state.exists() else None
    if ledger is None:
        return False
    with ledger:
        return bool(sessions(ledger))


def files_of(workspace: Path) -> Mapping[str, bytes]:
    """Return the files of a workspace with their contents, without what git and Python keep for themselves."""
    found = [path for path in workspace.rglob("*") if path.is_file()]
    kept = [path for path in found if not {".git", "__pycache__"} & set(path.parts)]
    return {str(path.relative_to(workspace)): path.read_bytes() for path in kept}


def round_of(scene: Scene, model: str, place: Path, *, kill_after: float | None) -> tuple[Mapping[str, bytes], bool]:
    """Lay a scene out and do it; return the files at its end, and whether some call was committed twice."""
    scene.lay_out(place / "work")
    if kill_after is not None:
        run(place, model, scene.request, kill_after=kill_after)
    said = run(place, model, scene.request, kill_after=None)
    assert "ENDED done" in said, said
    made = [commit.note for commit in commits(place / "state" / "workbench", place / "work")]
    with Ledger.open(Settings(state_dir=str(place / "state"))) as ledger:
        turns = sessions(ledger)[-1].turns
        calls = [key for turn in turns for key, done in turn.returned.items() if done.commit]
    return files_of(place / "work"), len(made) > len(calls)


def main() -> int:
    """Kill so many sessions and say how they ended."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    chance, wrong, twice = random.Random(given.seed), 0, 0
    names = ["fix", "feature", "report", "rename"]
    whole: dict[str, tuple[Mapping[str, bytes], float]] = {}
    for number in range(given.kills):
        scene = SCENES[names[number % len(names)]]
        with chat_server(scene.answer) as server, tempfile.TemporaryDirectory() as folder:
            if scene.name not in whole:
                began = time.monotonic()
                expected, _ = round_of(scene, server.model, Path(folder) / "whole", kill_after=None)
                whole[scene.name] = expected, time.monotonic() - began
            expected, seconds = whole[scene.name]
            place = Path(folder) / "killed"
            place.mkdir()
            found, doubled = round_of(scene, server.model, place, kill_after=chance.uniform(0, seconds))
            wrong += found != expected
            twice += doubled
    print(json.dumps({"kills": given.kills, "other_trees": wrong, "committed_twice": twice}))
    return int(bool(wrong or twice))


if __name__ == "__main__":
    sys.exit(main())
