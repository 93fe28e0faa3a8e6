"""Claims: one process at a time, until it closes or dies, and nothing inherited by a fork."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError, MayflyError, Settings, StoreError
from mayfly.store import Claim, Ledger
from mayfly.store._postgres import PostgreSQL, ServerRight

from .conftest import Plain
from .holder import line, start, tell


def eventually(take: Callable[[], Claim]) -> Claim:
    """Take what is being given up: the server learns of a dead process an instant later."""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        with suppress(ConflictError):
            return take()
        time.sleep(0.01)
    return take()


def server_side(claim: Claim) -> ServerRight:
    assert isinstance(claim._right, ServerRight)
    return claim._right


def end_sessions(settings: Settings) -> None:
    """End every session of Mayfly with the server, as its restart would."""
    with closing(Plain(settings)) as plain:
        plain.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name LIKE 'mayfly%' AND pid <> pg_backend_pid()"
        )
        while plain.run("SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'"):
            time.sleep(0.01)


def test_a_second_claim_is_told_who_has_the_first(settings: Settings, ledger: Ledger) -> None:
    with ledger.claim("r-1"), Ledger.open(settings) as other:
        for asked in (ledger, other):
            with pytest.raises(ConflictError, match=rf"^r-1 is being run by process {os.getpid()} on [\w.-]+; wait"):
                asked.claim("r-1")
        other.claim("r-2").close()


def test_a_closed_claim_is_free_and_stays_closed(ledger: Ledger) -> None:
    first = ledger.claim("r-1")
    first.close()
    first.close()
    with ledger.claim("r-1") as second:
        with pytest.raises(ConflictError, match="is closed"):
            first.check()
        first.close()
        second.check()
        assert second.fence == ("r-1", 2)


def test_a_refused_claim_leaves_the_holder_undisturbed(ledger: Ledger) -> None:
    with ledger.claim("r-1") as first:
        for _ in range(3):
            with pytest.raises(ConflictError):
                ledger.claim("r-1")
            first.check()


@pytest.mark.first(8)
@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\0b", "-x", "é", "a b", "a\n", "x" * 129, None])
def test_a_name_that_could_be_another_file_is_refused(ledger: Ledger, name: str) -> None:
    with pytest.raises(InputError, match="a claim's name"):
        ledger.claim(name)


def test_a_closed_ledger_claims_nothing(settings: Settings) -> None:
    ledger = Ledger.open(settings)
    ledger.close()
    with pytest.raises(StoreError, match="closed"):
        ledger.claim("r-1")


def test_another_process_is_named_and_let_go_when_it_is_done(settings: Settings, ledger: Ledger) -> None:
    process = start("hold", "r-1", store=settings)
    assert line(process) == "claimed"
    with pytest.raises(ConflictError, match=f"process {process.pid} on "):
        ledger.claim("r-1")
    tell(process)
    assert process.wait(100) == 0
    ledger.claim("r-1").close()
    process.communicate()


def test_a_process_that_is_killed_holds_nothing(settings: Settings, ledger: Ledger) -> None:
    process = start("hold", "r-1", store=settings)
    assert line(process) == "claimed"
    process.kill()
    process.communicate()
    with eventually(lambda: ledger.claim("r-1")) as claim:
        claim.check()
        with pytest.raises(ConflictError, match=f"process {os.getpid()} on "):
            ledger.claim("r-1")


def test_of_processes_that_claim_at_once_one_has_it(settings: Settings, ledger: Ledger) -> None:
    processes = [start("race", "r-1", store=settings) for _ in range(4)]
    assert [line(process) for process in processes] == ["ready"] * 4
    for process in processes:
        tell(process)
    said = [line(process) for process in processes]
    assert said.count("claimed") == 1
    winner = processes[said.index("claimed")]
    # Whoever comes in the instant before the winner has written its name cannot say it.
    known = re.compile(f"r-1 is being run by (process {winner.pid} on |another process)")
    assert [text for text in said if not known.match(text)] == ["claimed"]
    for process in processes:
        process.communicate("go\n", timeout=100)


def test_a_forked_child_neither_holds_nor_releases_the_claim(settings: Settings, ledger: Ledger) -> None:
    parent = start("fork", "r-1", store=settings)
    told, again = json.loads(line(parent))
    assert told == "r-1 belongs to the process that this one was forked from"
    assert f"process {parent.pid} on " in again
    with pytest.raises(ConflictError):
        ledger.claim("r-1")
    tell(parent)
    assert line(parent) == "still held"
    parent.kill()
    parent.wait(100)
    eventually(lambda: ledger.claim("r-1")).close()
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.close()
    parent.stdout.close()


def test_programs_that_are_started_inherit_nothing(settings: Settings, ledger: Ledger) -> None:
    claim = ledger.claim("r-1")
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    claim.close()
    with ledger.claim("r-1"):
        assert sleeper.poll() is None
    sleeper.communicate(b"\n")


def test_claims_leave_no_files_behind(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        for number in range(3):
            ledger.claim(f"r-{number}").close()
    assert list((sqlite_settings.state / "claims").iterdir()) == []


def test_a_claims_file_is_its_owners_alone(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger, ledger.claim("r-1"):
        path = sqlite_settings.state / "claims" / "r-1"
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert re.fullmatch(rf"[\w.-]+:{os.getpid()}:[0-9a-f]{{8}}", path.read_text())


def test_a_file_that_was_taken_away_is_made_and_claimed_again(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger, ledger.claim("r-1") as claim:
        shutil.rmtree(sqlite_settings.state / "claims")
        claim.check()
        assert claim.fence.generation == 1
        with pytest.raises(ConflictError):
            ledger.claim("r-1")


def test_a_file_that_was_taken_away_and_claimed_by_another_is_lost(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger, ledger.claim("r-1") as claim:
        shutil.rmtree(sqlite_settings.state / "claims")
        other = ledger.claim("r-1")
        for _ in range(2):
            with pytest.raises(ConflictError, match="r-1 is being run by"):
                claim.check()
        other.check()
        other.close()
        with pytest.raises(ConflictError, match=r"r-1 was taken up by .* \(generation 2\)"):
            claim.check()


def test_a_link_in_place_of_a_claim_is_not_followed(sqlite_settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with Ledger.open(sqlite_settings) as ledger:
        (sqlite_settings.state / "claims").mkdir()
        (sqlite_settings.state / "claims" / "r-1").symlink_to(tmp_path / "precious")
        with pytest.raises(StoreError, match=r"claims/r-1: .*symbolic links"):
            ledger.claim("r-1")
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_named(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        (sqlite_settings.state / "claims").write_text("a file")
        with pytest.raises(StoreError, match=r"claims/r-1: .*; set MAYFLY_STATE_DIR"):
            ledger.claim("r-1")


def test_nonsense_in_a_claims_file_is_not_shown(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger, ledger.claim("r-1"):
        (sqlite_settings.state / "claims" / "r-1").write_bytes(b"\x1b[31m\xff evil")
        with pytest.raises(ConflictError, match="r-1 is being run by another process; "):
            ledger.claim("r-1")


def test_a_lost_connection_is_made_and_claimed_again(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger, ledger.claim("r-1") as claim:
        end_sessions(postgres_settings)
        claim.check()
        assert claim.fence.generation == 1
        with pytest.raises(ConflictError, match=f"process {os.getpid()} on "):
            ledger.claim("r-1")


def test_a_lost_connection_whose_right_another_took_is_lost(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger, ledger.claim("r-1") as claim:
        end_sessions(postgres_settings)
        with start("hold", "r-1", store=postgres_settings) as other:
            assert line(other) == "claimed"
            for _ in range(2):
                with pytest.raises(ConflictError, match=f"r-1 is being run by process {other.pid} on "):
                    claim.check()
            tell(other)
            assert other.wait(100) == 0
        with pytest.raises(ConflictError, match=r"r-1 was taken up by .* \(generation 2\)"):
            claim.check()


def test_a_connection_lost_on_our_side_alone_is_no_rival(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger, ledger.claim("r-1") as claim:
        socket = server_side(claim)._driver.fileno()
        # The server believes in the old session as long as the other end of its socket is open somewhere.
        kept, nothing = os.dup(socket), os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, socket)
        claim.check()
        os.close(kept)
        os.close(nothing)
        assert claim.fence.generation == 1
        with pytest.raises(ConflictError):
            ledger.claim("r-1")


def test_an_unlocked_session_is_noticed(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger, ledger.claim("r-1") as claim:
        server_side(claim)._driver.execute("SELECT pg_advisory_unlock_all()")
        other = ledger.claim("r-1")
        with pytest.raises(ConflictError):
            claim.check()
        other.close()


def test_a_server_that_cannot_be_reached_leaves_a_claim_open(postgres_settings: Settings) -> None:
    gone = replace(postgres_settings.store, database_url="postgresql://nobody@/none?host=/nowhere")
    with Ledger.open(postgres_settings) as ledger, ledger.claim("r-1") as claim:
        end_sessions(postgres_settings)
        right, here = server_side(claim), server_side(claim)._database
        right._database = PostgreSQL(replace(postgres_settings, store=gone))
        with pytest.raises(StoreError, match="cannot be reached"):
            claim.check()
        right._database = here
        claim.check()
        assert claim.fence.generation == 1


def test_two_ledgers_in_one_database_do_not_share_claims(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as first, first.claim("r-1"), closing(Plain(postgres_settings)) as plain:
        plain.run("CREATE SCHEMA IF NOT EXISTS mayfly_other")
        url = postgres_settings.store.database_url
        there = re.sub(r"search_path%3D\w+", "search_path%3Dmayfly_other", url)
        assert there != url
        other = replace(postgres_settings, store=replace(postgres_settings.store, database_url=there))
        try:
            with Ledger.open(other) as second:
                second.claim("r-1").close()
        finally:
            plain.run("DROP SCHEMA mayfly_other CASCADE")


def test_many_claims_leave_the_ledger_its_connections(ledger: Ledger) -> None:
    claims = [ledger.claim(f"r-{number}") for number in range(20)]
    assert ledger.last() is not None
    for claim in claims:
        claim.check()
        claim.close()


def test_every_refusal_is_one_of_ours(ledger: Ledger) -> None:
    with ledger.claim("r-1"), pytest.raises(MayflyError) as caught:
        ledger.claim("r-1")
    assert caught.value.code == "CONFLICT"
