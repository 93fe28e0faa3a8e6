"""The table of operations: what words ask for, answered on small tables by hand and proven independently."""

import pytest

from mayfly.synthesis.records import Unable, plan

from .programs import answer, lines, planned, proven

LOG = [
    '192.0.2.1 - alice [01/Jan/2025:10:00:00 +0000] "GET /a HTTP/1.1" 200 100 "-" "x" 0.100',
    '192.0.2.2 - bob [01/Jan/2025:11:30:00 +0000] "POST /b HTTP/1.1" 404 50 "-" "x" 0.200',
    '192.0.2.1 - - [02/Jan/2025:10:15:00 +0000] "GET /a HTTP/1.1" 500 300 "-" "y" 2.500',
    '192.0.2.3 - alice [03/Jan/2025:09:00:00 +0000] "GET /c HTTP/1.1" 403 - "-" "x" 0.050',
    '192.0.2.2 - bob [31/Jan/2025:23:59:59 +0000] "POST /a HTTP/1.1" 200 1048577 "-" "x" 1.000',
    '192.0.2.1 - carol [01/Feb/2025:00:00:00 +0000] "PUT /b HTTP/1.1" 201 10 "-" "y" 0.300',
]
# The third column picks the numbers (counted from 1) of the lines whose records are the answer.
RECORDS: list[tuple[str, list[int]]] = [
    ("Parse NGINX access logs and extract 4xx error patterns", [2, 4]),
    ("client errors", [2, 4]),
    ("server errors", [3]),
    ("list errors", [2, 3, 4]),
    ("show 4xx and 5xx responses", [2, 3, 4]),
    ("requests except 2xx", [2, 3, 4]),
    ("requests with status >= 403", [2, 3, 4]),
    ("status is 404", [2]),
    ("requests with status 404 or 500", [2, 3]),
    ("status is not 200", [2, 3, 4, 6]),
    ("the 404s", [2]),
    ("POST requests", [2, 5]),
    ("requests where method = POST", [2, 5]),
    ("GET or PUT requests", [1, 3, 4, 6]),
    ("requests from 192.0.2.1", [1, 3, 6]),
    ("requests by user bob", [2, 5]),
    ("requests without a user", [3]),
    ("requests where size is missing", [4]),
    ("successful requests", [1, 5, 6]),
    ("non-200 responses", [2, 3, 4, 6]),
    ("sort requests by size in descending order and show the first 2", [5, 3]),
    ("POST requests not from bob", []),
    ("requests without user alice", [2, 3, 5, 6]),
    ("requests slower than 2s", [3]),
    ("requests taking more than 250ms", [3, 5, 6]),
    ("requests faster than 100 ms", [4]),
    ("responses larger than 1 MB", [5]),
    ("size between 50 and 100", [1, 2]),
    ("requests with at least 100 bytes", [1, 3, 5]),
    ("requests since 2025-01-03", [4, 5, 6]),
    ("requests after 2025-01-03", [5, 6]),
    ("requests before 2025-01-02", [1, 2]),
    ("requests until 2025-01-02", [1, 2, 3]),
    ("requests between 2025-01-02 and 2025-01-31", [3, 4, 5]),
    ("requests from 2025-01-02 to 2025-01-31", [3, 4, 5]),
    ("requests on 2025-01-01", [1, 2]),
    ("requests in January 2025", [1, 2, 3, 4, 5]),
    ("requests on 3 January 2025", [4]),
    ("requests since 2025-01-01 11:30 before 2025-01-03", [2, 3]),
    ("requests after 11:00", [2, 5]),
    ("requests between 10:00 and 11:00", [1, 3]),
    ("requests containing 'PUT'", [6]),
    ("requests for /a", [1, 3, 5]),
    ("requests where path starts with /b", [2, 6]),
    ("errors sorted by time descending", [4, 3, 2]),
    ("list requests ordered by size", [6, 2, 1, 3, 5, 4]),
    ("requests sorted by latency, slowest first", [3, 5, 6, 2, 1, 4]),
    ("newest 2 requests", [6, 5]),
    ("2 largest requests", [5, 3]),
    ("slowest request", [3]),
    ("top 2 requests by bytes", [5, 3]),
    ("first 2 requests", [1, 2]),
    ("last 2 errors", [3, 4]),
]
VALUES: list[tuple[str, object]] = [
    ("count requests", 6),
    ("how many errors are there", 3),
    ("count requests by status", {"200": 2, "201": 1, "403": 1, "404": 1, "500": 1}),
    ("count status codes", {"200": 2, "201": 1, "403": 1, "404": 1, "500": 1}),
    ("requests per user", {"-": 1, "alice": 2, "bob": 2, "carol": 1}),
    ("count errors by user", {"-": 1, "alice": 1, "bob": 1}),
    ("requests per month", {"2025-01": 5, "2025-02": 1}),
    ("requests per day in January 2025", {"2025-01-01": 2, "2025-01-02": 1, "2025-01-03": 1, "2025-01-31": 1}),
    ("hourly requests on 2025-01-01", {"2025-01-01 10:00": 1, "2025-01-01 11:00": 1}),
    ("total bytes", 1_049_037),
    ("sum of size by method", {"GET": 400, "POST": 1_048_627, "PUT": 10}),
    ("average latency per endpoint where method = POST", {"/a": 1.0, "/b": 0.2}),
    ("average size", 209_807.4),
    ("median size by method", {"GET": 200.0, "POST": 524_313.5, "PUT": 10.0}),
    ("maximum size by user", {"-": 300, "alice": 100, "bob": 1_048_577, "carol": 10}),
    ("minimum latency", 0.05),
    ("earliest time", "01/Jan/2025:10:00:00 +0000"),
    ("unique users", ["alice", "bob", "carol"]),
    ("unique users between 2025-01-01 and 2025-01-31", ["alice", "bob"]),
    ("count unique users", 3),
    ("how many distinct ips", 3),
    ("unique ips per day in January 2025", {"2025-01-01": 2, "2025-01-02": 1, "2025-01-03": 1, "2025-01-31": 1}),
    ("list paths", ["/a", "/b", "/a", "/c", "/a", "/b"]),
    (
        "extract ip and status of errors",
        [{"ip": f"192.0.2.{n}", "status": s} for n, s in ((2, 404), (1, 500), (3, 403))],
    ),
    (
        "distinct methods and paths",
        [
            {"method": m, "path": p}
            for m, p in (("GET", "/a"), ("POST", "/b"), ("GET", "/c"), ("POST", "/a"), ("PUT", "/b"))
        ],
    ),
    ("top 2 paths", [{"path": "/a", "count": 3}, {"path": "/b", "count": 2}]),
    ("top 2 paths by bytes", [{"path": "/a", "total_size": 1_048_977}, {"path": "/b", "total_size": 60}]),
    ("bottom 1 paths by hits", [{"path": "/c", "count": 1}]),
    (
        "most common method",
        [{"method": "GET", "count": 3}, {"method": "POST", "count": 2}, {"method": "PUT", "count": 1}],
    ),
    ("top 1 users by average latency", [{"user": None, "average_request_time": 2.5}]),
    (
        "slowest endpoints",
        [{"path": p, "average_request_time": t} for p, t in (("/a", 1.2), ("/b", 0.25), ("/c", 0.05))],
    ),
    ("count by method and status in February 2025", [{"method": "PUT", "status": 201, "count": 1}]),
    (
        "count requests by path sorted by count",
        [{"path": "/a", "count": 3}, {"path": "/b", "count": 2}, {"path": "/c", "count": 1}],
    ),
    ("paths with more than 1 requests", {"/a": 3, "/b": 2}),
    ("which ip made the most requests", [{"ip": "192.0.2.1", "count": 3}]),
    ("the 2 paths with the most errors", [{"path": "/a", "count": 1}, {"path": "/b", "count": 1}]),
    ("two most requested urls", [{"path": "/a", "count": 3}, {"path": "/b", "count": 2}]),
    ("error count by path, top 1", [{"path": "/a", "count": 1}]),
    ("the busiest day", [{"day": "2025-01-01", "count": 2}]),
    ("total number of bytes by ip", {"192.0.2.1": 410, "192.0.2.2": 1_048_627}),
    ("traffic by method", {"GET": 400, "POST": 1_048_627, "PUT": 10}),
    ("latency by method", {"GET": 0.883333, "POST": 0.6, "PUT": 0.3}),
    ("error rate", 0.5),
    ("error rate by path", {"/a": 0.333333, "/b": 0.5, "/c": 1.0}),
    ("percentage of POST requests", 33.333333),
    ("error rate by user for GET requests", {"-": 1.0, "alice": 0.5}),
]
REFUSED = [
    ("frobnicate the requests", "frobnicate"),
    ("count requests by planet", "planet"),
    ("requests with weight > 5", "weight"),
    ("sum of path", "path"),
    ("requests since yesterday", "yesterday"),
    ("requests in the last 24 hours", "24 hours"),
    ("top 0 paths", "above zero"),
    ("translate the requests into French", "translate"),
    ("requests from January", "January"),
    ("email the errors to bob", "email"),
]


@pytest.mark.parametrize(("intent", "numbers"), RECORDS, ids=[intent for intent, _ in RECORDS])
def test_the_right_records_come_back(intent: str, numbers: list[int]) -> None:
    every = answer("list requests", LOG)
    assert isinstance(every, list)
    assert answer(intent, LOG) == [every[number - 1] for number in numbers]


@pytest.mark.parametrize(("intent", "value"), VALUES, ids=[intent for intent, _ in VALUES])
def test_the_right_value_comes_back(intent: str, value: object) -> None:
    assert answer(intent, LOG) == value


@pytest.mark.parametrize("intent", [intent for intent, _ in (*RECORDS[::3], *VALUES[::3])])
def test_independent_tests_agree_on_a_larger_sample(intent: str) -> None:
    proven(intent, [*LOG, *(line + " 0.010" for line in lines("access.log"))])


@pytest.mark.parametrize(("intent", "word"), REFUSED, ids=[intent for intent, _ in REFUSED])
def test_what_is_not_understood_is_said_at_once(intent: str, word: str) -> None:
    found = plan(intent, LOG)
    assert isinstance(found, Unable)
    assert word in found.reason
    assert found.helps


def test_two_fields_that_fit_equally_well_are_asked_about() -> None:
    sample = ["id,start date,end date", "1,2025-01-01,2025-02-01", "2,2025-03-01,2025-04-01"]
    made = planned("rows since 2025-02-15", sample)
    assert made.question is not None
    assert "start_date or end_date" in made.question
    assert made.confidence < 0.8


def test_a_field_that_is_named_is_not_asked_about() -> None:
    sample = ["id,start date,end date", "1,2025-01-01,2025-02-01", "2,2025-03-01,2025-04-01"]
    made = planned("rows with end date before 2025-03-01", sample)
    assert made.question is None
    assert answer("rows with end date before 2025-03-01", sample) == [
        {"id": 1, "start_date": "2025-01-01", "end_date": "2025-02-01"}
    ]


def test_words_are_matched_whole() -> None:
    sample = ["name,class", "ann,first", "bob,second"]
    assert answer("rows with class first", sample) == [{"name": "ann", "class_": "first"}]
    assert isinstance(plan("classify the rows", sample), Unable)


def test_a_value_that_was_never_seen_is_noted() -> None:
    made = planned("requests of user zoe", LOG)
    assert any("zoe" in note for note in made.notes)


def test_times_with_different_offsets_are_sorted_by_the_moment() -> None:
    sample = [
        '192.0.2.1 - - [01/Jan/2025:10:00:00 +0000] "GET /utc HTTP/1.1" 200 1',
        '192.0.2.1 - - [01/Jan/2025:10:30:00 +0200] "GET /east HTTP/1.1" 200 1',
    ]
    assert answer("paths sorted by time", sample) == ["/east", "/utc"]


def test_looking_for_a_word_takes_lines_that_have_it() -> None:
    sample = ["2025-01-01 10:00:00 INFO all fine", "2025-01-01 10:00:01 INFO connection Timeout after 3 s"]
    found = answer("identify timeout patterns", sample)
    assert isinstance(found, list)
    assert [record["message"] for record in found] == ["connection Timeout after 3 s"]


def test_two_ways_of_sorting_at_once_are_refused() -> None:
    sample = [{"name": "a", "salary": 1}, {"name": "b", "salary": 3}] * 5
    found = plan("sort by salary ascending and descending", sample)
    assert isinstance(found, Unable)
    assert "both ascending and descending" in found.reason
