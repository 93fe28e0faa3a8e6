"""The sample files of the repository, and the two intents everybody tries first."""

from .programs import answer, lines, planned, proven

NGINX = "Parse NGINX access logs and extract 4xx error patterns"
MEMORY = "Parse Java stack traces and identify OOM patterns"


def test_only_4xx_come_back_and_none_is_missing() -> None:
    sample = lines("access.log")
    found = answer(NGINX, sample)
    assert isinstance(found, list)
    # The status stands right behind the closing quote of the request, as awk would find it.
    wanted = sum(line.split('" ')[1][:1] == "4" for line in sample)
    assert len(found) == wanted > 50
    assert all(400 <= record["status"] < 500 for record in found)


def test_no_line_of_the_access_log_is_lost() -> None:
    sample = lines("access.log")
    assert answer("count requests", sample) == len(sample) == 200


def test_every_line_that_says_memory_ran_out_is_found() -> None:
    sample = lines("app.log")
    found = answer(MEMORY, sample)
    assert isinstance(found, list)
    wanted = [number for number, line in enumerate(sample, start=1) if "lang.OutOfMemoryError" in line]
    assert [record["line_number"] for record in found] == wanted
    assert [record["heap_type"] for record in found] == [
        "heap",
        "gc overhead",
        "metaspace",
        "native thread",
        "direct buffer",
        "array size",
    ]
    assert [record["allocation_size"] for record in found if record["allocation_size"]] == [1_048_576]


def test_the_heap_of_the_document_is_called_heap() -> None:
    sample = [
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        "\tat com.example.App.run(App.java:42)",
    ]
    assert answer(MEMORY, sample) == [
        {"line_number": 1, "thread": "main", "heap_type": "heap", "message": "Java heap space", "allocation_size": None}
    ]


def test_a_flag_that_names_the_error_is_no_error() -> None:
    sample = ["java -XX:+HeapDumpOnOutOfMemoryError", "java.lang.OutOfMemoryError"]
    found = answer(MEMORY, sample)
    assert isinstance(found, list)
    assert [(record["line_number"], record["message"], record["heap_type"]) for record in found] == [
        (2, None, "unknown")
    ]


def test_exceptions_are_counted_by_type() -> None:
    found = answer("count exceptions by type", lines("app.log"))
    assert isinstance(found, dict)
    assert found["java.lang.OutOfMemoryError"] == 6
    assert "java.lang.NullPointerException" in found


def test_amounts_are_summed_by_customer() -> None:
    import csv

    wanted: dict[str, float] = {}
    for row in csv.DictReader(lines("orders.csv")):
        wanted[row["customer"]] = round(wanted.get(row["customer"], 0) + float(row["amount"]), 6)
    assert answer("sum amount by customer", lines("orders.csv")) == wanted


def test_all_examples_are_proven_by_independent_tests() -> None:
    for intent, name in (
        (NGINX, "access.log"),
        (MEMORY, "app.log"),
        ("sum amount by customer", "orders.csv"),
        ("top 3 customers by amount", "orders.csv"),
        ("average latency per service where level = info", "events.jsonl"),
        ("errors of user alice", "events.jsonl"),
    ):
        proven(intent, lines(name))


def test_the_program_has_the_names_a_reader_expects() -> None:
    made = planned(NGINX, lines("access.log"))
    assert made.entry == "AccessErrors"
    assert "class AccessLog:" in made.source
    assert "400 <= record.status < 500" in made.source
