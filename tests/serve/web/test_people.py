"""What people do over HTTP: talk, approve, deny, answer, undo; and what happens when two do it at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx

from mayfly.testing import chat_server
from session.scenes import calls, says
from session.test_executor import model

from .conftest import Site, told, web_server, wrong

HOOK = calls(("file_write", {"path": ".github/workflows/ci.yml", "content": "on: push\n"}))
NOTE = calls(("file_write", {"path": "note.txt", "content": "hello\n"}))


@contextmanager
def talking(state: Path, *replies: object, workers: int = 2) -> Iterator[Site]:
    """Start a server whose model says what is given."""
    with (
        chat_server(model(*replies)) as server,  # type: ignore[arg-type]
        web_server(state, "--workers", str(workers), MAYFLY_MODELS_NAME=server.model) as site,
    ):
        yield site


def said(web: httpx.Client, chat: str, text: str) -> dict[str, object]:
    return dict(told(web.post(f"/api/chats/{chat}/say", json={"text": text, "wait": True})))


def test_a_chat_works_in_the_servers_directory_and_is_taken_back(library: Path) -> None:
    with talking(library, NOTE, says("written")) as site, site.client() as web:
        chat = told(web.post("/api/chats", json={}), 201)["id"]
        assert said(web, chat, "Write a note")["status"] == "done"
        assert (site.workspace / "note.txt").read_text() == "hello\n"
        turn = told(web.get(f"/api/chats/{chat}"))["turns"][0]
        assert turn["asked"] == "Write a note"
        assert turn["said"] == ["written"]
        assert turn["calls"][0]["tool"] == "file_write"
        changes = told(web.get(f"/api/chats/{chat}/changes"))["changes"]
        assert "+hello" in changes[0]["diff"]
        assert told(web.post(f"/api/chats/{chat}/undo", json={}))["undoes"] == changes[0]["id"]
        assert not (site.workspace / "note.txt").exists()
        listed = told(web.get("/api/chats"))["chats"]
        assert listed[0]["id"] == chat
        assert listed[0]["said"] == "Write a note"
        wrong(web.get("/api/chats/s-00000000"), 404)
        wrong(web.post("/api/chats/s-00000000/say", json={"text": "x"}), 404)


def test_of_two_people_who_approve_at_once_one_wins(library: Path) -> None:
    with talking(library, HOOK, says("waits")) as site, site.client() as web:
        chat = told(web.post("/api/chats", json={}), 201)["id"]
        said(web, chat, "Fix the pipeline")
        waiting = told(web.get("/api/inbox"))["approvals"]
        assert len(waiting) == 1
        id = waiting[0]["id"]
        assert "+on: push" in told(web.get(f"/api/inbox/approvals/{id}"))["diff"]

        def approve(name: str) -> httpx.Response:
            with site.client() as one:
                return one.post(f"/api/inbox/approvals/{id}/approve", json={"by": name, "reason": "fine"})

        with ThreadPoolExecutor(6) as people:
            answers = list(people.map(approve, [f"person {n}" for n in range(6)]))
        won = [one for one in answers if one.status_code == 200]
        assert len(won) == 1
        for one in answers:
            if one not in won:
                wrong(one, 409)
        late = wrong(approve("late"), 409, "was approved by person")
        assert late["approval"]["by"] == won[0].json()["by"]
        assert late["approval"]["result"].startswith("committed as ")
        wrong(web.post(f"/api/inbox/approvals/{id}/deny", json={}), 409, "was approved")
        assert (site.workspace / ".github/workflows/ci.yml").read_text() == "on: push\n"
        assert told(web.get("/api/inbox"))["approvals"] == []
        assert told(web.get(f"/api/inbox/approvals/{id}"))["approved"] is True
        wrong(web.get("/api/inbox/approvals/a-00000000"), 404)


def test_what_is_denied_is_dropped(library: Path) -> None:
    with talking(library, HOOK, says("waits"), workers=1) as site, site.client() as web:
        chat = told(web.post("/api/chats", json={}), 201)["id"]
        said(web, chat, "Fix the pipeline")
        id = told(web.get("/api/inbox"))["approvals"][0]["id"]
        assert told(web.post(f"/api/inbox/approvals/{id}/deny", json={"reason": "no"}))["approved"] is False
        assert not (site.workspace / ".github").exists()
        # Between turns anybody can speak; what was decided is told to the agent with it.
        said(web, chat, "Fix more")
        assert "denied by" in told(web.get(f"/api/chats/{chat}"))["turns"][-1]["asked"]


def test_a_question_is_answered_by_clicking_and_only_once(site: Site, web: httpx.Client) -> None:
    order = {"intent": "initials", "input": "Barbara Liskov"}
    asked = told(web.post("/api/runs", json={**order, "examples": [{"input": "Ada Lovelace", "output": "A.L."}]}))
    assert asked["status"] == "collapsed"
    [call] = [one for one in told(web.get("/api/inbox"))["calls"] if one["run"] == asked["id"]]
    assert call["asked"]["input"] == "Barbara Liskov"
    number = call["asked"]["offered"].index("B.L.") + 1
    way = f"/api/inbox/calls/{call['id']}/answer"
    answered = told(web.post(way, json={"text": str(number)}))
    assert answered["status"] == "resolved"
    assert answered["value"] == "B.L."
    error = wrong(web.post(way, json={"text": "2"}), 409, "answered before")
    assert error["call"]["answer"] == str(number)
    assert told(web.post(way, json={"text": str(number), "again": True}))["value"] == "B.L."
    wrong(web.post("/api/inbox/calls/h-00000000/answer", json={"text": "1"}), 404)
    wrong(web.post("/api/inbox/effects/r-00000000/0.1/settle", json={"verdict": "done"}), 404)
