"""Jobs about data: DuckDB over the files they are given, and nothing else of the host, at both levels."""

import gzip
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox import MEMO_IMPORTS, JobOptions, Result, Sandbox, Ticket, only_reading, with_shared_memory

MIB = 1 << 20
# What an agent of tier memo that was granted data may import.
IMPORTS = MEMO_IMPORTS | {"duckdb"}
TOTALS = """
import duckdb

def answer(path):
    rows = duckdb.execute(
        '''
        SELECT city, sum(qty) AS total
        FROM read_csv(
            $path, auto_detect = false, header = true, delim = ',', columns = {'city': 'VARCHAR', 'qty': 'BIGINT'}
        )
        GROUP BY city ORDER BY city
        ''',
        {"path": path},
    ).fetchall()
    return dict(rows)
"""
SALES = "city,qty\nOslo,3\nRome,4\nOslo,5\n"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A small input with a secret beside it."""
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    (tmp_path / "secret.csv").write_text("city,qty\nsecret,1\n")
    return path


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A directory to spill to that everybody can enter, as whom root steps down to has to."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.fixture(scope="module")
def narrow(level: str, place: Path) -> Iterator[Sandbox]:
    """A sandbox with little memory and disk for data."""
    limits = SandboxSettings(data_memory=128 * MIB, data_spill=96 * MIB, data_directory=str(place))
    with Sandbox(limits, level=level) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def hasty(level: str) -> Iterator[Sandbox]:
    """A sandbox with a second for any data, and a quarter of one for each of its megabytes."""
    with Sandbox(SandboxSettings(data_seconds=1, data_rate=256), level=level) as sandbox:
        yield sandbox


def query(box: Sandbox, sql: str, *paths: Path, **options: object) -> Result:
    """Run one statement over the files at *paths*, on the connection that was set up for it."""
    source = f"import duckdb\ndef f(path): return duckdb.execute({sql!r}).fetchall()"
    return box.run(source, "f", data=paths, grants=("data",), **options)  # type: ignore[arg-type]


def test_a_job_reads_the_file_it_is_given(box: Sandbox, sales: Path) -> None:
    result = box.run(TOTALS, "answer", data=(sales,), grants=("data",), imports=IMPORTS)
    assert (result.error, result.value) == (None, {"Oslo": 8, "Rome": 4})


def test_one_zygote_serves_one_input_after_another(box: Sandbox, tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / f"{number}.csv"
        path.write_text(f"city,qty\nOslo,{number}\n")
        assert box.run(TOTALS, "answer", data=(path,), grants=("data",)).value == {"Oslo": number}


def test_several_files_come_as_a_list_in_order_under_their_own_names(box: Sandbox, tmp_path: Path) -> None:
    paths = []
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "sales.csv")
        paths[-1].write_text(SALES)
    source = f"{TOTALS}\ndef both(paths): return [paths, answer(paths)]"
    result = box.run(source, "both", data=paths, grants=("data",))
    assert isinstance(result.value, list)
    names, totals = result.value
    assert [name.rpartition("/")[2] for name in names] == ["sales.csv", "sales.csv"]
    assert len(set(names)) == 2
    assert totals == {"Oslo": 16, "Rome": 8}


@pytest.mark.parametrize("name", ["sales.csv.gz", "it's [1]*#&.csv.gz", "Verkäufe 2024.csv.gz"])
def test_a_packed_file_keeps_its_ending_whatever_it_is_called(box: Sandbox, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(SALES.encode()))
    source = f"{TOTALS}\ndef named(path): return [path, answer(path)]"
    result = box.run(source, "named", data=(path,), grants=("data",))
    assert result.error is None
    assert isinstance(result.value, list)
    assert result.value[0].endswith(f"/{name}")
    assert result.value[1] == {"Oslo": 8, "Rome": 4}


def test_a_file_that_only_its_owner_may_read_is_read(box: Sandbox, sales: Path) -> None:
    sales.chmod(0o600)
    sales.parent.chmod(0o700)
    assert box.run(TOTALS, "answer", data=(sales,), grants=("data",)).value == {"Oslo": 8, "Rome": 4}


def test_a_link_is_followed_and_keeps_its_name(box: Sandbox, sales: Path) -> None:
    link = sales.with_name("latest.csv")
    link.symlink_to(sales)
    source = f"{TOTALS}\ndef named(path): return [path.rpartition('/')[2], answer(path)]"
    assert box.run(source, "named", data=(link,), grants=("data",)).value == ["latest.csv", {"Oslo": 8, "Rome": 4}]


@pytest.mark.parametrize("connect", ["duckdb", "duckdb.connect()"])
def test_no_other_file_is_read(box: Sandbox, sales: Path, connect: str) -> None:
    secret = sales.with_name("secret.csv")
    source = f"""
import duckdb
def f(path):
    said = []
    for function in ("read_text", "read_blob", "read_csv", "read_json", "parquet_scan"):
        for name in ({str(secret)!r}, "/etc/passwd", "/proc/self/environ", "/proc/self/maps"):
            try:
                said += {connect}.execute(f"SELECT * FROM {{function}}('{{name}}')").fetchall()
            except duckdb.Error:
                pass
    return said
"""
    result = box.run(source, "f", data=(sales,), grants=("data",))
    assert (result.error, result.value) == (None, [])


def test_nothing_is_written_but_to_the_own_directory(box: Sandbox, sales: Path, place: Path) -> None:
    before = sorted(sales.parent.iterdir())
    source = f"""
import duckdb, os
def f(path):
    done = []
    hosts = {[str(sales), str(sales.with_name("new")), str(place / "new")]!r}
    for name in (path, "/tmp/new.csv", "/new.csv", *hosts):
        for way in (f"COPY (SELECT 1) TO '{{name}}'", f"ATTACH '{{name}}.db' AS other", f"EXPORT DATABASE '{{name}}'"):
            for connection in (duckdb, duckdb.connect()):
                try:
                    connection.execute(way)
                    done.append(way)
                except duckdb.Error:
                    pass
        try:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT))
            done.append(name)
        except OSError:
            pass
    return done
"""
    result = box.run(source, "f", data=(sales,), grants=("data",))
    assert (result.error, result.value) == (None, [])
    assert sales.read_text() == SALES
    assert sorted(sales.parent.iterdir()) == before


def test_the_input_is_neither_changed_nor_locked(box: Sandbox, sales: Path) -> None:
    sales.chmod(0o666)
    before = sales.stat()
    source = """
import fcntl, os
def f(path):
    handle = os.open(path, os.O_RDONLY)
    said = []
    for way in (
        lambda: os.open(path, os.O_RDWR),
        lambda: os.open(path, os.O_RDONLY | os.O_TRUNC),
        lambda: os.open(path, 3),
        lambda: os.truncate(path, 0),
        lambda: os.ftruncate(handle, 0),
        lambda: os.chmod(path, 0o600),
        lambda: os.fchmod(handle, 0o600),
        lambda: os.utime(path, (1, 1)),
        lambda: os.utime(handle, (1, 1)),
        lambda: os.unlink(path),
        lambda: os.rename(path, path + "x"),
        lambda: fcntl.flock(handle, fcntl.LOCK_SH),
        lambda: fcntl.lockf(handle, fcntl.LOCK_SH),
        lambda: fcntl.fcntl(handle, 1024, fcntl.F_RDLCK),
    ):
        try:
            way()
            said.append("done")
        except OSError:
            said.append("refused")
    return said
"""
    result = box.run(source, "f", data=(sales,), grants=("data",))
    assert result.value == ["refused"] * 14
    after = sales.stat()
    assert (after.st_mode, after.st_size, after.st_mtime) == (before.st_mode, before.st_size, before.st_mtime)


def test_rows_come_as_a_stream_too(box: Sandbox, sales: Path) -> None:
    source = TOTALS + "\ndef rows(path):\n    yield from answer(path).items()"
    with box.stream(source, "rows", data=(sales,), grants=("data",)) as stream:
        assert list(stream) == [["Oslo", 8], ["Rome", 4]]


def test_no_package_but_duckdb_is_there(box: Sandbox, sales: Path) -> None:
    source = """
def f(path):
    import duckdb, sys
    found = []
    for name in ("numpy", "pandas", "rich", "mypy", "_pytest", "pip", "mayfly"):
        try:
            __import__(name)
            found.append(name)
        except ImportError:
            pass
    return [found, [place for place in sys.path if "-packages" in place]]
"""
    assert box.run(source, "f", data=(sales,), grants=("data",)).value == [[], []]


def test_the_connection_is_set_up_and_stays_so(box: Sandbox, sales: Path) -> None:
    changes = ("SET threads = 64", "SET enable_external_access = true", "RESET lock_configuration", "INSTALL httpfs")
    for change in (*changes, "LOAD httpfs", "PRAGMA enable_profiling = 'json'", "SET allowed_paths = ['/etc/passwd']"):
        result = query(box, change, sales)
        assert result.status == "error", change
    shown = query(box, "SELECT value FROM duckdb_settings() WHERE name = 'TimeZone'", sales)
    assert shown.value == [["UTC"]]


def test_another_connection_works_and_has_no_more_than_the_first(box: Sandbox, sales: Path) -> None:
    source = TOTALS.replace("duckdb.execute", "duckdb.connect().execute")
    assert box.run(source, "answer", data=(sales,), grants=("data",)).value == {"Oslo": 8, "Rome": 4}


def test_what_does_not_fit_into_memory_goes_to_the_disk_for_as_long_as_the_job_runs(
    level: str, sales: Path, place: Path
) -> None:
    seen: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            seen.append(len(list(place.glob("*/spill/*"))))

    thread = threading.Thread(target=look)
    thread.start()
    numbered = "SELECT row_number() OVER (ORDER BY md5(i::VARCHAR)) AS n FROM range(1000000) t(i)"
    sql = f"SELECT count(*) FROM ({numbered}) WHERE n % 2 = 0"
    with Sandbox(SandboxSettings(data_memory=64 * MIB, data_directory=str(place)), level=level) as box:
        result = query(box, sql, sales)
        done.set()
        thread.join()
    assert (result.error, result.value) == (None, [[500000]])
    assert max(seen) > 0
    assert list(place.iterdir()) == []


def test_what_is_spilled_is_limited_and_the_setting_is_named(narrow: Sandbox, sales: Path) -> None:
    source = """
import duckdb
def f(path):
    spill, = duckdb.execute("SELECT current_setting('temp_directory')").fetchone()
    for number in range(64):
        with open(f"{spill}/{number}", "wb") as file:
            for _ in range(64):
                file.write(bytes(1 << 20))
"""
    result = narrow.run(source, "f", data=(sales,), grants=("data",))
    said = f"the job has written more than its limit of {96 * MIB} bytes (sandbox.data_spill)"
    assert (result.status, result.error) == ("error", said)


@pytest.mark.parametrize(
    "body", ["bytearray(4 << 30)", "duckdb.execute('SELECT list(i) FROM range(400000000) t(i)').fetchall()"]
)
def test_memory_is_limited_and_the_setting_is_named(narrow: Sandbox, sales: Path, body: str) -> None:
    result = narrow.run(f"import duckdb\ndef f(path): return len({body})", "f", data=(sales,), grants=("data",))
    assert result.status == "memory"
    assert result.error is not None
    assert "sandbox.data_memory" in result.error


@pytest.mark.parametrize(
    "body", ["sum(iter(int, 1))", "duckdb.execute('SELECT sum(hash(i)) FROM range(100000000000) t(i)').fetchall()"]
)
def test_processor_time_is_limited_and_the_setting_is_named(hasty: Sandbox, sales: Path, body: str) -> None:
    result = hasty.run(f"import duckdb\ndef f(path): return {body}", "f", data=(sales,), grants=("data",))
    assert (result.status, result.error) == (
        "timeout",
        "the job used more than 2 s of processor time (sandbox.data_seconds, sandbox.data_rate)",
    )


def test_time_that_is_waited_is_no_processor_time(hasty: Sandbox, sales: Path) -> None:
    source = "import time\ndef f(path): time.sleep(2.2); return 1"
    assert hasty.run(source, "f", data=(sales,), grants=("data",)).value == 1
    result = hasty.run(source, "f", data=(sales,), grants=("data",), timeout=0.5)
    assert (result.status, result.error) == ("timeout", "Sandbox timeout after 500ms")


@pytest.mark.later
def test_the_clock_is_a_guard_behind_the_processor_time() -> None:
    with Sandbox(SandboxSettings(timeout=0.001, data_seconds=1, data_rate=0)) as box:
        result = box.run("import time\ndef f(n): time.sleep(60)", "f", grants=("data",))
    assert (result.status, result.error) == (
        "timeout",
        "Sandbox timeout after 4001ms (sandbox.data_seconds, sandbox.data_rate)",
    )


@pytest.mark.parametrize(("name", "size"), [("large", 12 * MIB), ("packed.csv.gz", 2 * MIB)])
def test_a_larger_input_has_more_time(hasty: Sandbox, tmp_path: Path, name: str, size: int) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(size)
    spin = "import time\ndef f(path):\n    while time.process_time() < 2.3: pass\n    return 1"
    assert hasty.run(spin, "f", data=(path,), grants=("data",)).value == 1


def test_a_job_is_cancelled_at_once(box: Sandbox, sales: Path) -> None:
    ticket = Ticket()
    threading.Timer(0.7, ticket.cancel).start()
    began = time.monotonic()
    result = query(box, "SELECT sum(hash(i)) FROM range(100000000000) t(i)", sales, ticket=ticket)
    assert (result.status, result.value) == ("died", None)
    assert time.monotonic() - began < 20


def test_progress_is_told_while_a_query_runs(box: Sandbox, sales: Path) -> None:
    told: list[float] = []
    result = query(box, "SELECT sum(hash(i) % 7) FROM range(60000000) t(i)", sales, progress=told.append)
    assert result.ok
    assert told
    assert all(0 <= part <= 1 for part in told)
    assert told == sorted(told)


def test_a_job_that_lies_about_its_progress_sends_numbers_and_no_more(box: Sandbox, sales: Path) -> None:
    source = """
import struct, sys
def f(path):
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    worker = frame.f_locals["self"]
    for text in (b"0.5", b"nan", b"-1", b"1e999", b"{}", b"", b"\\xff", b"9" * 4000):
        worker.reply(b"%", text)
    return "done"
"""
    told: list[float] = []
    result = box.run(source, "f", data=(sales,), grants=("data",), progress=told.append)
    assert (result.value, told) == ("done", [0.5])


def test_an_error_of_the_callback_ends_the_job(box: Sandbox, sales: Path) -> None:
    def fail(part: float) -> None:
        raise KeyError("of the caller")

    with pytest.raises(KeyError, match="of the caller"):
        query(box, "SELECT sum(hash(i)) FROM range(100000000000) t(i)", sales, progress=fail)


def test_files_of_one_name_are_told_apart_by_their_directories(box: Sandbox, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "sales.csv" for folder in ("one", "two")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(SALES)
    told = box.run("def f(paths):\n    return paths", "f", data=paths, grants=("data",)).value
    assert isinstance(told, list)
    assert [str(one).split("/")[-2:] for one in told] == [["one", "sales.csv"], ["two", "sales.csv"]]
    assert box.run(TOTALS, "answer", data=paths, grants=("data",)).value == {"Oslo": 16, "Rome": 8}


def test_a_file_may_be_called_by_more_parts_of_its_path(box: Sandbox, sales: Path) -> None:
    source = "def answer(path):\n    return path"
    result = box.run(source, "answer", grants=("data",), imports=IMPORTS, data=(sales,), name_parts=2)
    assert str(result.value).endswith(f"/{sales.parent.name}/sales.csv")


def test_jobs_side_by_side_share_the_memory_unless_it_was_said() -> None:
    alone, shared = with_shared_memory(SandboxSettings(), 1), with_shared_memory(SandboxSettings(), 2)
    assert shared.data_memory in (alone.data_memory // 2, 1 << 30)
    assert with_shared_memory(SandboxSettings(), 10**9).data_memory == min(1 << 30, alone.data_memory)
    assert with_shared_memory(SandboxSettings(data_memory=5), 2).data_memory == 5


def test_the_grant_stands_alone(box: Sandbox) -> None:
    for other in ("net:*", "fs:workspace", "fs:workspace:rw", "buy", "net:example.org"):
        with pytest.raises(InputError, match="stands alone") as said:
            box.check_grants(("data", other))
        assert str(said.value) == f"the grant data stands alone, not with {other}; make it a job of its own"
    assert only_reading(("data",)) == ("data",)


READ = """
import mmap, os

def f(path):
    import duckdb, et_xmlfile
    directory = duckdb.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
    with open(f"{directory}/code", "wb") as file:
        file.write(bytes(4096))
    held = os.open(f"{directory}/code", os.O_RDONLY)
    try:
        mmap.mmap(held, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
        return "what it wrote can be run"
    except OSError:
        return open(path).readline()
"""


def test_packages_can_be_granted_beside_it_and_what_a_job_writes_is_never_run(box: Sandbox, sales: Path) -> None:
    result = box.run(READ, "f", data=(sales,), grants=("data", "package"))
    assert (result.value, result.error) == ("city,qty\n", None)
    alone = box.run(READ, "f", data=(sales,), grants=("data",))
    assert "No module named 'et_xmlfile'" in str(alone.error)


def test_mistakes_of_the_caller_are_said(box: Sandbox, sales: Path) -> None:
    run: list[tuple[str, JobOptions]] = [
        ("without the grant data", {"data": (sales,)}),
        ("one of the two", {"data": (sales,), "lines": sales, "grants": ("data",)}),
        ("collection of paths", {"data": str(sales), "grants": ("data",)}),
        ("is a directory; data is read from regular files", {"data": (sales.parent,), "grants": ("data",)}),
        ("No such file", {"data": (sales.with_name("none"),), "grants": ("data",)}),
        ("is a device", {"data": (Path("/dev/null"),), "grants": ("data",)}),
        ("memory must be from", {"data": (sales,), "grants": ("data",), "memory": 1 << 60}),
    ]
    for said, options in run:
        with pytest.raises(InputError, match=said):
            box.run(TOTALS, "answer", **options)
    with pytest.raises(InputError, match="one of the two"):
        box.run(TOTALS, "answer", "argument", data=(sales,), grants=("data",))


def test_a_job_without_files_has_its_argument(box: Sandbox) -> None:
    source = "import duckdb\ndef f(n): return duckdb.execute('SELECT $n + 1', {'n': n}).fetchall()"
    assert box.run(source, "f", 41, grants=("data",)).value == [[42]]


def test_the_pinned_lane_is_not_taken(box: Sandbox, sales: Path) -> None:
    result = box.run(TOTALS, "answer", data=(sales,), grants=("data",), lane="pinned")
    assert (result.value, result.lane) == ({"Oslo": 8, "Rome": 4}, "one-shot")


def test_what_a_killed_host_left_is_removed(level: str, sales: Path) -> None:
    place = Path(tempfile.mkdtemp())
    place.chmod(0o711)
    for name in ("mayfly-data-old", "mayfly-data-young", "other"):
        (place / name / "spill").mkdir(parents=True)
    os.utime(place / "mayfly-data-old", (1000, 1000))
    with Sandbox(SandboxSettings(data_directory=str(place)), level=level) as box:
        assert query(box, "SELECT 1", sales).ok
    assert sorted(path.name for path in place.iterdir()) == ["mayfly-data-young", "other"]
    shutil.rmtree(place)


def test_a_directory_to_spill_to_that_is_not_there_is_said(level: str, sales: Path) -> None:
    with Sandbox(SandboxSettings(data_directory="/nowhere"), level=level) as box:
        with pytest.raises(InputError, match="/nowhere: No such file") as said:
            query(box, "SELECT 1", sales)
        assert said.value.fix == "set sandbox.data_directory"
