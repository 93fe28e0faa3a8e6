"""Runs over HTTP: done while the client waits, on their own, stopped, and looked at."""

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from mayfly.core import Settings
from mayfly.promise import Promise
from mayfly.runtime import Runtime

from .conftest import UPPER, Site, events_of, told, web_server, wrong


def test_a_task_is_done_and_its_story_can_be_read(web: httpx.Client) -> None:
    done = told(web.post("/api/runs", json={"intent": "upper case", "input": "abc", "examples": UPPER}))
    assert done["status"] == "resolved"
    assert done["value"] == "ABC"
    assert done["proof"]["strength"] in ("strong", "tested")
    found = told(web.get(f"/api/runs/{done['id']}"))
    assert found["run"]["status"] == "resolved"
    assert found["story"][0] == "asked: upper case"
    assert {step["kind"] for step in found["steps"]} >= {"run.began", "run.resolved"}
    why = told(web.get(f"/api/runs/{done['id']}/why"))
    assert why["words"][0] == "asked: upper case"
    first = told(web.get(f"/api/runs/{done['id']}/events?limit=2"))
    rest = told(web.get(f"/api/runs/{done['id']}/events", params={"after": first["next"]}))
    kinds = [one["kind"] for one in (*first["events"], *rest["events"])]
    assert kinds[0] == "run.began"
    assert kinds[-1] == "run.resolved"
    wrong(web.get(f"/api/runs/{done['id']}/promises"), 404, "no tree")


def test_lines_and_files_are_inputs(web: httpx.Client, site: Site) -> None:
    table = "name,age\nann,3\nbob,4\n"
    by_lines = told(web.post("/api/runs", json={"intent": "sum of age", "lines": table}))
    file = {"file": ("../../etc/ages.csv", table.encode())}
    by_file = told(web.post("/api/runs/file", files=file, data={"intent": "sum of age"}))
    assert by_lines["value"] == by_file["value"] == 7
    assert by_file["account"]["used"] == 2
    value = {"file": ("a.json", b'"abc"')}
    data = {"intent": "upper case", "examples": json.dumps(UPPER)}
    assert told(web.post("/api/runs/file", files=value, data=data))["value"] == "ABC"
    # What was resolved leaves no file behind, and nothing was written elsewhere.
    assert not list((site.state / "uploads").glob("*/*"))
    wrong(web.post("/api/runs", json={"intent": "x", "input": 1, "lines": "a"}), 400, "two inputs")
    wrong(web.post("/api/runs/file", files=value, data={"intent": "x", "examples": "[1"}), 400, "not JSON")
    wrong(web.post("/api/runs/file", files=value, data={"intent": "x", "examples": "[1]"}), 400, "examples")


def test_several_files_are_one_table(web: httpx.Client, site: Site) -> None:
    files = [("file", ("a.csv", b"name,age\nann,3\n")), ("file", ("b.csv.gz", gzip.compress(b"name,age\nbob,4\n")))]
    done = told(web.post("/api/runs/file", files=files, data={"intent": "sum of age by file"}))
    assert done["value"] == {"a.csv": 3, "b.csv.gz": 4}
    assert not list((site.state / "uploads").glob("*/*"))


def test_what_is_not_proven_is_ground_with_the_reason(web: httpx.Client) -> None:
    order = {"intent": "sum all numbers", "lines": "a,b\n1,2\n", "ground": -1}
    done = told(web.post("/api/runs", json=order))
    assert done["status"] == "collapsed"
    assert done["value"] == -1
    assert "sum" in done["reason"]


def test_models_that_are_files_or_addresses_are_the_servers_to_name(web: httpx.Client, tmp_path: Path) -> None:
    for model in (f"scripted:{tmp_path}/x", "replay:/etc/passwd", "http://127.0.0.1:1/v1#m", "HTTPS://evil.example#m"):
        wrong(web.post("/api/runs", json={"intent": "x", "model": model}), 400, "MAYFLY_MODELS_NAME")


def test_a_run_on_its_own_is_followed_live_and_found_meanwhile(web: httpx.Client) -> None:
    order = {"intent": "title case", "input": "a b", "examples": [{"input": "x y", "output": "X Y"}], "wait": False}
    begun = web.post("/api/runs", json=order)
    run = told(begun, 202)["id"]
    assert begun.headers["location"] == f"/api/runs/{run}"
    assert told(web.get(f"/api/runs/{run}"))["id"] == run
    with web.stream("GET", "/api/events", params={"run": run}) as stream:
        seen = list(events_of(stream))
    assert seen[-1].kind == "end"
    kinds = [one.data["kind"] for one in seen[:-1]]
    assert "run.began" in kinds
    assert kinds[-1].startswith("run.")
    # Who comes back goes on where they were, and is told when there is nothing more to come.
    middle = seen[1].id
    with web.stream("GET", "/api/events", params={"run": run}, headers={"Last-Event-ID": str(middle)}) as stream:
        again = list(events_of(stream))
    assert [one.id for one in again] == [one.id for one in seen[2:]]
    last = {"Last-Event-ID": str(seen[-2].id)}
    assert web.get("/api/events", params={"run": run}, headers=last).status_code == 204
    assert told(web.get("/api/runs", params={"limit": 1, "search": "TITLE case"}))["runs"][0]["id"] == run
    wrong(web.get("/api/events", params={"run": "r-00000000"}), 404)


def test_lists_are_paged_and_filtered(web: httpx.Client) -> None:
    for _ in range(3):
        web.post("/api/runs", json={"intent": "upper case", "input": "abc", "examples": UPPER})
    seen: list[str] = []
    before: dict[str, int] = {}
    while True:
        page = told(web.get("/api/runs", params={"limit": 2, **before}))
        seen += [one["id"] for one in page["runs"]]
        if page["next"] is None:
            break
        before = {"before": page["next"]}
    assert len(seen) == len(set(seen)) >= 3
    all_of_them = [one["id"] for one in told(web.get("/api/runs", params={"limit": 500}))["runs"]]
    assert seen == all_of_them
    resolved = told(web.get("/api/runs", params={"status": ["resolved"], "limit": 500}))["runs"]
    assert {one["status"] for one in resolved} == {"resolved"}
    wrong(web.get("/api/runs", params={"status": "nonsense"}), 422, "status")


def test_the_clients_leaving_ends_a_call(site: Site, web: httpx.Client) -> None:
    order = {"arguments": {"rounds": 10**10}, "seconds": 600}
    with pytest.raises(httpx.ReadTimeout):
        web.post("/api/tools/work_for/call", json=order, timeout=1.0)
    for _ in range(200):
        if told(web.get("/api/health"))["under_way"] == 0:
            break
        time.sleep(0.05)
    assert told(web.get("/api/health"))["under_way"] == 0


def test_more_than_it_takes_is_sent_away(library: Path) -> None:
    with web_server(library, MAYFLY_WEB_CALLS="1", MAYFLY_WEB_WAITING="1") as site, site.client() as web:
        order = {"arguments": {"rounds": 10**10}, "seconds": 600}
        busy = [threading.Thread(target=_gives_up, args=(site, order)) for _ in range(2)]
        for one in busy:
            one.start()
        while told(web.get("/api/health"))["under_way"] < 2:
            time.sleep(0.02)
        refused = web.post("/api/tools/work_for/call", json=order)
        wrong(refused, 503, "under way")
        assert int(refused.headers["retry-after"]) >= 1
        for one in busy:
            one.join()


def _gives_up(site: Site, order: dict[str, object]) -> None:
    with site.client() as web, pytest.raises(httpx.TimeoutException):
        web.post("/api/tools/work_for/call", json=order, timeout=4.0)


def test_a_large_tree_is_read_by_pages(site: Site, web: httpx.Client) -> None:
    count = 2_500
    root: Promise[Any] = Promise("Return all of them", ground=None)
    for at in range(count):
        root.add(Promise(f"Return {at}", ground=None, capability="return_constant", argument={"value": at}))
    with Runtime(Settings(state_dir=str(site.state))) as runtime:
        run = runtime.resolve(root).id
    first = told(web.get(f"/api/runs/{run}/promises", params={"limit": 3}))
    assert first["total"] == count + 1
    assert first["counts"] == {"resolved": count + 1}
    assert [one["node"] for one in first["promises"]] == ["0", "0.1", "0.2"]
    assert first["promises"][0]["children"] == count
    last = told(web.get(f"/api/runs/{run}/promises", params={"skip": count - 1}))
    assert [one["intent"] for one in last["promises"]] == [f"Return {count - 2}", f"Return {count - 1}"]
    assert last["next"] is None
    found = told(web.get(f"/api/runs/{run}/promises", params={"search": "return 77", "state": "resolved"}))
    assert found["matching"] == 11
    assert told(web.get(f"/api/runs/{run}/promises", params={"depth": 0}))["matching"] == 1
    assert told(web.get(f"/api/runs/{run}/promises/0.7"))["tree"]["value"] == 6
    assert told(web.get(f"/api/runs/{run}"))["tree"] is True
    wrong(web.get(f"/api/runs/{run}/trace"), 409, "page by page")
    wrong(web.get(f"/api/runs/{run}/promises/9.9"), 404)
    why = told(web.get(f"/api/runs/{run}/why"))
    assert why["status"] == "resolved"
    assert len(why["proven"]) < why["cut"]["proven"] == count + 1
    wrong(web.post(f"/api/runs/{run}/cancel", json={}), 409, "not running")
    wrong(web.post("/api/runs/r-00000000/cancel", json={}), 404)
    again = told(web.post(f"/api/runs/{run}/resume", json={}))
    assert again["status"] == "resolved"


def test_a_run_on_its_own_is_cancelled_from_any_process(library: Path) -> None:
    # A model that never answers: the run waits for it until somebody cancels.
    with silent_model() as model, web_server(library, "--workers", "2", MAYFLY_MODELS_NAME=model) as site:
        with site.client() as web:
            order = {"intent": "Say something wise about clouds", "input": "cirrus", "wait": False}
            run = told(web.post("/api/runs", json=order), 202)["id"]
            assert told(web.get(f"/api/runs/{run}"))["run"]["status"] == "running"
        for _ in range(20):  # whichever process answers
            with site.client() as web:
                answer = web.post(f"/api/runs/{run}/cancel", json={"by": "ann", "reason": "enough"})
                assert answer.status_code in (200, 409)
        with site.client() as web, web.stream("GET", "/api/events", params={"run": run}) as stream:
            seen = list(events_of(stream))
        assert seen[-1].data == {"status": "cancelled"}


@contextmanager
def silent_model() -> Iterator[str]:
    """Yield a model that takes requests and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1#silent"


def test_a_reader_that_does_not_read_or_goes_away_costs_nothing(site: Site, web: httpx.Client) -> None:
    done = told(web.post("/api/runs", json={"intent": "upper case", "input": "abc", "examples": UPPER}))
    where = urlsplit(site.url)
    request = f"GET /api/events HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode()
    readers = [socket.create_connection((where.hostname or "", where.port or 0)) for _ in range(20)]
    for one in readers:
        one.sendall(request)
    _until(web, listeners=20)
    # Nobody of them reads, and everybody else is served all the same.
    assert told(web.get(f"/api/runs/{done['id']}"))["id"] == done["id"]
    for one in readers:
        one.close()
    _until(web, listeners=0)


def _until(web: httpx.Client, *, listeners: int) -> None:
    for _ in range(400):
        if told(web.get("/api/health"))["listeners"] == listeners:
            return
        time.sleep(0.05)
    pytest.fail(f"there are {told(web.get('/api/health'))['listeners']} readers, not {listeners}")


def test_more_streams_than_it_takes_are_sent_away(library: Path) -> None:
    with web_server(library, MAYFLY_WEB_STREAMS="1") as site, site.client() as web:
        with web.stream("GET", "/api/events") as first:
            assert first.status_code == 200
            _until(web, listeners=1)
            wrong(web.get("/api/events"), 503, "streams")
        _until(web, listeners=0)
