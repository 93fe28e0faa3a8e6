"""The library, the rules and how things stand, over HTTP; and two processes that see the same."""

import time
from pathlib import Path

import httpx
import pytest

from serve.conftest import EXAMPLES, ROMAN, TESTS

from .conftest import Site, told, web_server, wrong


def test_a_tool_is_made_called_changed_and_rolled_back(web: httpx.Client) -> None:
    order = {"source": ROMAN, "tests": TESTS, "examples": EXAMPLES, "by": "ann"}
    made = told(web.post("/api/tools", json=order))
    assert made["decision"] == "accept", made["reason"]
    name = made["name"]
    call = f"/api/tools/{name}/call"
    assert told(web.post(call, json={"arguments": {"text": "MCMXC"}}))["value"] == 1990
    wrong(web.post("/api/tools", json=order), 409, "already")
    refused = told(web.post(f"/api/tools/{name}/update", json={"source": ROMAN.replace("+=", "-=")}))
    assert refused["decision"] == "reject"
    changed = ROMAN.replace("values[letter]", "values[letter.upper()]")
    assert told(web.post(f"/api/tools/{name}/update", json={"source": changed}))["version"] == 2
    assert told(web.post(call, json={"arguments": {"text": "iv"}}))["value"] == 4
    assert "letter.upper" in told(web.get(f"/api/tools/{name}/diff", params={"a": 1, "b": 2}))["diff"]
    assert [one["version"] for one in told(web.get(f"/api/tools/{name}/versions"))["versions"]] == [1, 2]
    assert told(web.post(f"/api/tools/{name}/rollback", json={}))["serves"] == 1
    failed = web.post(call, json={"arguments": {"text": "iv"}})
    wrong(failed, 422)
    assert told(web.get(f"/api/tools/{name}"))["source"] == ROMAN
    assert told(web.post(f"/api/tools/{name}/verify"))["holds"] is True
    found = told(web.get("/api/tools", params={"find": "roman numeral"}))["tools"]
    assert found[0]["name"] == name
    assert told(web.delete(f"/api/tools/{name}"))["deleted"] == 1
    wrong(web.get(f"/api/tools/{name}"), 404)
    wrong(web.post(call, json={"arguments": {"text": "IV"}}), 404)


def test_wrong_arguments_and_unknown_tools_are_one_line(web: httpx.Client) -> None:
    wrong(web.post("/api/tools/repeat_text/call", json={"arguments": {"text": "a"}}), 422, "times")
    wrong(web.post("/api/tools/nothing_like_it/call", json={}), 404)
    wrong(web.get("/api/tools/nothing_like_it"), 404)
    wrong(web.get("/api/tools/repeat_text/diff", params={"a": 1, "b": 99}), 404)
    wrong(web.post("/api/tools", json={}), 400, "intent")
    wrong(web.post("/api/tools/repeat_text/rollback", json={"to": 99}), 404)


def test_escape_sequences_do_not_leave_the_server_as_such(web: httpx.Client) -> None:
    evil = "\x1b]0;owned\x07\x9b31m<script>alert(1)</script>\u202e\ud800"
    called = web.post("/api/tools/text_of_codes/call", json={"arguments": {"codes": [27, 91, 0x9B, 0x202E]}})
    assert called.json()["value"] == "\x1b[\x9b\u202e"
    for answer in (
        called,
        web.post("/api/runs", content=_json({"intent": evil}), headers={"Content-Type": "application/json"}),
        web.post("/api/runs/file", files={"file": (evil[:-1], b"a,b\n1,2\n")}, data={"intent": "sum of a"}),
        web.get("/api/tools", params={"find": evil[:-1]}),
        web.get("/api/runs", params={"search": evil[:-1]}),
        web.post("/api/policy/permit", content=_json({"action": "file_write", "target": evil})),
        web.get("/api/runs"),
    ):
        assert answer.status_code < 500, answer.text
        assert answer.content.isascii()
        assert b"\x1b" not in answer.content


def _json(value: object) -> bytes:
    import json

    return json.dumps(value).encode()


def test_rules_are_read_asked_and_tried_out(web: httpx.Client) -> None:
    rules = told(web.get("/api/policy/rules"))
    assert any(one["name"] == "constitution.mg" and "decision(" in one["text"] for one in rules["files"])
    matches = told(web.get("/api/policy/rules", params={"search": "decision(id, /deny)"}))["files"]
    assert matches[0]["matches"][0]["line"] > 1
    denied = told(web.post("/api/policy/permit", json={"action": "file_write", "target": "/etc/passwd"}))
    assert denied["decision"] == "deny"
    assert denied["why"]
    why = told(web.get("/api/policy/why", params={"of": denied["id"]}))
    assert why["decision"] == "deny"
    goal = told(web.get("/api/policy/why", params={"of": "permitted(A, B, C)"}))
    assert goal["holds"] is False
    decisions = told(web.get("/api/policy/decisions", params={"decision": "deny", "limit": 1}))
    assert decisions["decisions"][0]["id"] == denied["id"]
    given = {"name": "constitution.mg", "text": "nothing :-"}
    wrong(web.post("/api/policy/simulate", json={"files": [given]}), 400)
    tried = told(web.post("/api/policy/simulate", json={"files": [{"name": "extra.mg", "text": "# nothing new\n"}]}))
    assert tried["tried"] >= 1
    assert tried["differences"] == []
    wrong(web.post("/api/policy/simulate", json={"files": [{"name": "../x.mg", "text": ""}]}), 422, "name")


def test_how_things_stand_without_secrets(library: Path) -> None:
    with web_server(library, MAYFLY_MODELS_URL="http://me:hunter2@127.0.0.1:9/v1") as site, site.client() as web:
        settings = told(web.get("/api/config"))["settings"]
        assert any(one["key"] == "web.port" for one in settings)
        assert "hunter2" not in web.get("/api/config").text
        assert told(web.get("/api/doctor"))["level"] in ("namespaces", "landlock")
        assert told(web.get("/api/metrics"))["runs"] >= 0
        market = told(web.get("/api/market?by=day&latest=1"))
        assert {"capabilities", "pnl", "at_risk", "payments", "sales"} <= market.keys()
        assert market["pnl"] == {"by": "day", "rows": [], "totals": []}
        wrong(web.get("/api/market?by=moon"), 422, "by")
        wrong(web.get("/api/market?latest=-1"), 422, "latest")
        schema = told(web.get("/api/openapi.json"))
        for path, methods in schema["paths"].items():
            for method, about in methods.items():
                assert about.get("summary"), (method, path)
                assert about.get("description"), (method, path)


@pytest.mark.later
def test_two_processes_see_each_others_changes_within_a_second(library: Path) -> None:
    with web_server(library, "--workers", "2") as site:
        by_process = _clients(site)
        assert len(by_process) == 2
        one, other = by_process.values()
        source = 'def triple(x: int) -> int:\n    """Triple a number."""\n    return 3 * x\n'
        order = {"source": source, "examples": [{"input": {"x": 2}, "output": 6}], "accept_weak": True}
        assert told(one.post("/api/tools", json=order))["decision"] == "accept"
        began = time.monotonic()
        assert told(other.post("/api/tools/triple/call", json={"arguments": {"x": 5}}))["value"] == 15
        assert "triple" in {tool["name"] for tool in told(other.get("/api/tools"))["tools"]}
        told(other.delete("/api/tools/triple"))
        wrong(one.post("/api/tools/triple/call", json={"arguments": {"x": 5}}), 404)
        assert time.monotonic() - began < 5
        for client in by_process.values():
            client.close()


def _clients(site: Site) -> dict[int, httpx.Client]:
    """Return a client for each process: a connection stays with the one that took it."""
    found: dict[int, httpx.Client] = {}
    for _ in range(200):
        client = site.client()
        process = told(client.get("/api/health"))["process"]
        if process in found:
            client.close()
        else:
            found[process] = client
        if len(found) == 2:
            break
    return found


@pytest.mark.later
def test_a_process_that_dies_is_replaced(library: Path) -> None:
    import os
    import signal

    with web_server(library, "--workers", "2") as site:
        clients = _clients(site)
        first = next(iter(clients))
        for client in clients.values():
            client.close()
        os.kill(first, signal.SIGKILL)
        for _ in range(200):
            again = _clients(site)
            for client in again.values():
                client.close()
            if len(again) == 2 and first not in again:
                break
            time.sleep(0.05)
        assert len(again) == 2
        assert first not in again
