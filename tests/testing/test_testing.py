"""The helpers that tests of agents use, ours among them."""

from pathlib import Path

import psycopg
import pytest

from mayfly.models import open_model
from mayfly.testing import FakeClock, own_postgres, postgres_schema, until, write_access_log, write_script


def test_a_clock_stands_still_until_it_is_told_otherwise() -> None:
    clock = FakeClock(100.0)
    assert (clock(), clock()) == (100.0, 100.0)
    clock.forward(2.5)
    assert clock() == 102.5


def test_a_clock_of_whole_numbers_stays_whole() -> None:
    clock = FakeClock(10**18)
    clock.forward(1)
    assert clock() == 10**18 + 1


def test_a_scripted_model_answers_in_order_and_by_purpose(tmp_path: Path) -> None:
    name = write_script(tmp_path / "script.jsonl", ("chat", "one"), ("chat", "two"), {"for": "plan", "answer": "plan"})
    with open_model(name) as model:
        assert [model.ask("chat", "?").text, model.ask("plan", "?").text] == ["one", "plan"]
        assert [model.ask("chat", "?").text, model.ask("chat", "?").text] == ["two", "two"]


def test_the_same_seed_gives_the_same_log(tmp_path: Path) -> None:
    one = write_access_log(tmp_path / "one.log", 0.1).read_bytes()
    assert one == write_access_log(tmp_path / "two.log", 0.1).read_bytes()
    assert one != write_access_log(tmp_path / "three.log", 0.1, seed=8).read_bytes()
    assert len(one) >= 100_000


def test_each_schema_is_empty_and_gone_afterwards(postgres_server: str) -> None:
    with postgres_schema(postgres_server) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE found (number integer)")
        with postgres_schema(postgres_server) as other, psycopg.connect(other) as connection:
            assert connection.execute("SELECT to_regclass('found')").fetchone() == (None,)
    with psycopg.connect(postgres_server) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE tablename = 'found'").fetchone() == (0,)


def test_a_server_of_its_own_can_be_stopped_and_started_again() -> None:
    with own_postgres() as server:
        psycopg.connect(server.url).close()
        server.stop()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(server.url)
        server.start()
        psycopg.connect(server.url).close()
        home = server.home
    assert not home.exists()


def test_waiting_ends_when_it_is_true_or_when_the_time_is_up() -> None:
    left = iter(range(3))
    assert until(lambda: next(left) == 2)
    assert not until(lambda: False, seconds=0.05)
