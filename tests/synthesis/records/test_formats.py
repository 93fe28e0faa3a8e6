"""Every known format: detected from its lines, and each value where it belongs."""

import pytest

from .programs import answer, planned, proven

ACCESS = [
    '127.0.0.1 - - [01/Jan/2025:12:00:00 +0000] "GET /api HTTP/1.1" 404 512',
    '2001:db8::1 - alice [01/Jan/2025:12:00:01 +0000] "POST /a b HTTP/1.1" 200 -',
    '192.0.2.7 - build agent [01/Jan/2025:12:00:02 +0000] "\\x16\\x03\\x01" 400 150',
    '192.0.2.8 - - [01/Jan/2025:12:00:03 +0000] "-" 408 0',
    '192.0.2.9 - - [01/Jan/2025:12:00:04 +0000] "" 400 0',
]
CASES: list[tuple[str, list[str], list[dict[str, object]]]] = [
    (
        "combined with escaped quotes",
        [
            '192.0.2.4 - bob [05/Jan/2025:06:25:01 +0000] "GET /a HTTP/2.0" 200 34 "-" "an \\"odd\\" agent"',
            '192.0.2.5 - - [05/Jan/2025:06:25:02 +0000] "GET /b HTTP/1.1" 404 - "https://example.com/" "-"',
        ],
        [
            {
                "ip": "192.0.2.4",
                "user": "bob",
                "status": 200,
                "size": 34,
                "referer": None,
                "user_agent": 'an \\"odd\\" agent',
            },
            {
                "ip": "192.0.2.5",
                "user": None,
                "status": 404,
                "size": None,
                "referer": "https://example.com/",
                "user_agent": None,
            },
        ],
    ),
    (
        "combined with further fields",
        [
            '192.0.2.4 - - [05/Jan/2025:06:25:01 +0000] "GET /a HTTP/1.1" 200 34 "-" "curl/8" rt=0.005 up="0.001"',
            '192.0.2.5 - - [05/Jan/2025:06:25:02 +0000] "GET /b HTTP/1.1" 404 - "-" "curl/8" rt=1.250 up="-"',
        ],
        [{"rt": 0.005, "up": 0.001}, {"rt": 1.25, "up": None}],
    ),
    (
        "combined with the virtual host first",
        [
            'www.example.com:443 192.0.2.4 - bob [05/Jan/2025:06:25:01 +0000] "GET /a HTTP/1.1" 200 34 "-" "curl/8"',
            'www.example.com:443 192.0.2.5 - - [05/Jan/2025:06:25:02 +0000] "GET /b HTTP/1.1" 404 - "-" "curl/8"',
        ],
        [{"server": "www.example.com:443", "ip": "192.0.2.4", "user": "bob"}, {"ip": "192.0.2.5", "user": None}],
    ),
    (
        "syslog of RFC 3164, with and without a process",
        [
            "Jan  5 06:25:04 web1 sshd[812]: Failed password for alice from 192.0.2.4 port 52211 ssh2",
            "Jan 15 06:25:09 web1 kernel: Out of memory: Killed process 4321 (java)",
        ],
        [
            {"timestamp": "Jan  5 06:25:04", "host": "web1", "program": "sshd", "pid": 812},
            {"program": "kernel", "pid": None, "message": "Out of memory: Killed process 4321 (java)"},
        ],
    ),
    (
        "syslog of RFC 5424",
        [
            '<165>1 2025-01-05T06:25:01.003Z web1 cart 8710 ID47 [ex@32473 iut="3"] An event',
            "<34>1 2025-01-05T06:25:02.003Z web2 pay - - - Another event",
        ],
        [
            {
                "priority": 165,
                "host": "web1",
                "program": "cart",
                "pid": "8710",
                "data": 'ex@32473 iut="3"',
                "message": "An event",
            },
            {"priority": 34, "program": "pay", "pid": None, "data": None, "message": "Another event"},
        ],
    ),
    (
        "log4j with a stack trace",
        [
            "2025-01-05 06:25:01,123 INFO  [main] com.example.App - Started",
            "2025-01-05 06:25:02,456 ERROR [pool-1] com.example.Db - Lost it",
            "java.sql.SQLException: no route",
            "\tat com.example.Db.get(Db.java:3)",
            "Caused by: java.io.IOException: gone",
            "\t... 3 more",
        ],
        [
            {"timestamp": "2025-01-05 06:25:01,123", "level": "INFO", "thread": "main", "logger": "com.example.App"},
            {"level": "ERROR", "thread": "pool-1", "message": "Lost it"},
        ],
    ),
    (
        "logback with a padded thread",
        [
            "2025-01-05T06:25:01.123Z  INFO 1 --- [           main] c.e.App     : Started in 3 s",
            "2025-01-05T06:25:02.123Z ERROR 1 --- [nio-8080-exec-1] c.e.Web     : Boom",
        ],
        [{"thread": "main", "logger": "c.e.App", "message": "Started in 3 s"}, {"thread": "nio-8080-exec-1", "pid": 1}],
    ),
    (
        "Python logging",
        ["2025-01-05 06:25:01,123 - app.web - INFO - started", "2025-01-05 06:25:02,123 - app.db - ERROR - lost - it"],
        [{"logger": "app.web", "level": "INFO", "message": "started"}, {"logger": "app.db", "message": "lost - it"}],
    ),
    (
        "a moment, a level and a message",
        ["2025-01-05T06:25:01Z INFO started up", "2025-01-05T06:25:02Z ERROR it broke"],
        [{"timestamp": "2025-01-05T06:25:01Z", "level": "INFO", "message": "started up"}, {"level": "ERROR"}],
    ),
    (
        "the error log of NGINX",
        ["2025/01/05 06:25:01 [error] 31#7: *1 open() failed", "2025/01/05 06:25:02 [warn] 31#7: *2 slow"],
        [{"level": "error", "pid": 31, "tid": 7, "message": "*1 open() failed"}, {"level": "warn"}],
    ),
    (
        "the error log of Apache",
        [
            "[Wed Oct 11 14:32:52.123456 2000] [core:error] [pid 35708:tid 432] [client 192.0.2.1:522] No file: /x",
            "[Wed Oct 11 14:33:52.123456 2000] [core:warn] [pid 35708:tid 432] [client 192.0.2.1:522] No file: /y",
        ],
        [{"module": "core", "level": "error", "pid": 35708, "client": "192.0.2.1:522", "message": "No file: /x"}, {}],
    ),
    (
        "the log of a load balancer",
        [
            "http 2025-01-05T06:25:01.186641Z app/lb/50 192.0.2.39:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "
            '"GET http://www.example.com:80/ HTTP/1.1" "curl/7.46.0" - - arn:x "Root=1"',
            "http 2025-01-05T06:25:02.186641Z app/lb/50 192.0.2.39:2817 - -1 -1 -1 502 - 34 366 "
            '"GET http://www.example.com:80/ HTTP/1.1" "curl/7.46.0" - - arn:x "Root=2"',
        ],
        [{"client": "192.0.2.39:2817", "status": 200, "target_time": 0.048}, {"status": 502, "target": None}],
    ),
    (
        "W3C with its header",
        [
            "#Software: Example Server",
            "#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken",
            "2025-01-05 06:25:01 192.0.2.1 GET /a 200 15",
            "2025-01-05 06:25:02 192.0.2.1 POST /b 404 35",
        ],
        [{"c_ip": "192.0.2.1", "cs_method": "GET", "sc_status": 200}, {"cs_uri_stem": "/b", "time_taken": 35}],
    ),
    (
        "pairs with quotes and missing keys",
        [
            'time=2025-01-05T06:25:01Z level=info msg="started up" took=12ms user=alice',
            'time=2025-01-05T06:25:02Z level=error msg="say \\"hi\\" now" took=15ms code=7',
        ],
        [
            {"msg": "started up", "took": 12, "user": "alice", "code": None},
            {"msg": 'say "hi" now', "took": 15, "code": 7},
        ],
    ),
    (
        "a table with quoted cells",
        ["id,name,price", '1,"a, ""b""",3.50', "2,c,"],
        [{"id": 1, "name": 'a, "b"', "price": 3.5}, {"id": 2, "name": "c", "price": None}],
    ),
    (
        "a table with tabs",
        ["name\tage\tcity", "alice\t30\tBerlin", "bob\t41\tParis"],
        [{"name": "alice", "age": 30, "city": "Berlin"}, {"age": 41}],
    ),
    ("a table with semicolons", ["id;name;ok", "1;a;true", "2;b;false"], [{"id": 1, "ok": True}, {"ok": False}]),
    ("a table with pipes", ["id|name|paid", "1|x|$3.50", "2|y|$4.00"], [{"paid": 3.5}, {"paid": 4.0}]),
    (
        "a table without a header",
        ["alice,30,2025-01-01", "bob,41,2025-01-02", "carol,3,2025-01-03"],
        [{"word": "alice", "number": 30, "timestamp": "2025-01-01"}, {"number": 41}, {"number": 3}],
    ),
]


@pytest.mark.parametrize(("sample", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_known_format_is_read(sample: list[str], expected: list[dict[str, object]]) -> None:
    found = answer("parse the lines", sample)
    assert isinstance(found, list)
    assert len(found) == len(expected)
    for record, wanted in zip(found, expected, strict=True):
        assert {name: record[name] for name in wanted} == wanted


@pytest.mark.parametrize("sample", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_the_independent_tests_agree_with_the_program(sample: list[str]) -> None:
    proven("parse the lines", sample)


def test_no_realistic_access_line_is_lost() -> None:
    found = answer("list requests", ACCESS)
    assert isinstance(found, list)
    assert [(record["method"], record["path"], record["size"]) for record in found] == [
        ("GET", "/api", 512),
        ("POST", "/a b", None),
        (None, "\\x16\\x03\\x01", 150),
        (None, None, 0),
        (None, None, 0),
    ]
    assert [record["user"] for record in found] == [None, "alice", "build agent", None, None]


def test_lines_may_have_ends_and_a_mark_in_front() -> None:
    assert answer("count requests", ACCESS, [f"\ufeff{ACCESS[0]}\r\n", f"{ACCESS[1]}\n"]) == 2


def test_json_lines_are_given_back_whole() -> None:
    sample = ['{"a": {"b": 1}, "level": "info", "x-y": [1]}', '{"level": "error", "a": {"b": 2}}', "{}"]
    assert answer("errors", sample) == [{"level": "error", "a": {"b": 2}}]
    assert answer("sum a.b", sample) == 3


def test_objects_are_taken_as_they_are() -> None:
    sample = [{"level": "info", "n": 1}, {"level": "error", "n": 2}, {"level": "error"}]
    assert answer("errors where n > 1", sample) == [{"level": "error", "n": 2}]
    assert answer("count by level", sample) == {"info": 1, "error": 2}


def test_lines_of_two_shapes_are_both_read() -> None:
    sample = [
        f"2025-01-05 10:00:{second:02} login user={'ab'[second % 3 % 2]} from 192.0.2.{second}"
        if second % 2
        else f"2025-01-05 10:00:{second:02} payment of {second}.50 EUR by {'xy'[second % 3 % 2]}"
        for second in range(30)
    ]
    made = proven("parse the lines", sample)
    assert len(made.format.shapes) == 2
    assert any("2 shapes" in note for note in made.notes)


def test_lines_that_do_not_fit_are_counted_in_the_notes() -> None:
    made = planned("count requests by status", [*ACCESS * 3, "garbage", "more garbage"])
    assert any(note.startswith("2 of 17 lines") for note in made.notes)


def test_lines_that_continue_another_are_not_misfits() -> None:
    made = planned("count lines by level", CASES[5][1])
    assert any("4 lines continue" in note for note in made.notes)
    assert made.format.fitted == made.format.total
