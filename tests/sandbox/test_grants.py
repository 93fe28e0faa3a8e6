"""The openings: what each lets through, and that it lets nothing else through."""

import http.server
import json
import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.sandbox import EPHEMERAL_IMPORTS, GrantedSandbox, Sandbox, _grants, only_reading

READ = "def f(path):\n    return open(path).read()\n"
WRITE = "def f(path):\n    open(path, 'w').write('new')\n"
FETCH = "import urllib.request\ndef f(url):\n    return urllib.request.urlopen(url, timeout=5).read().decode()\n"


@pytest.fixture
def workshop(level: str) -> Iterator[tuple[Sandbox, Path]]:
    """A sandbox with a workspace, and a secret beside it.

    Root's workers have a uid of their own; at level landlock it needs what anybody may do to the directory.
    """
    with tempfile.TemporaryDirectory() as place:
        above, workspace = Path(place), Path(place) / "workspace"
        workspace.mkdir()
        (workspace / "note").write_text("hello")
        (above / "secret").write_text("secret")
        if level == "landlock" and os.geteuid() == 0:
            above.chmod(0o755)
            workspace.chmod(0o777)
        with Sandbox(level=level, workspace=workspace) as box:
            yield box, workspace


def test_a_workspace_is_read_and_not_written(workshop: tuple[Sandbox, Path]) -> None:
    box, workspace = workshop
    assert box.run(READ, "f", "note", grants=["fs:workspace"]).value == "hello"
    for name in ("note", "other"):
        assert box.run(WRITE, "f", name, grants=["fs:workspace"]).status == "error"
    assert {p.name: p.read_text() for p in workspace.iterdir()} == {"note": "hello"}


def test_a_writable_workspace_takes_ordinary_work(workshop: tuple[Sandbox, Path]) -> None:
    box, workspace = workshop
    source = (
        "import os, pathlib, tempfile, shutil\ndef f(x):\n"
        "    pathlib.Path('d/e').mkdir(parents=True)\n    pathlib.Path('d/e/a').write_text('one')\n"
        "    os.rename('d/e/a', 'd/b')\n    os.remove('note')\n"
        "    with tempfile.NamedTemporaryFile('w', dir='.', delete=False) as t: t.write('two')\n"
        "    os.replace(t.name, 'two')\n    shutil.rmtree('d/e')\n    return sorted(os.listdir('.'))\n"
    )
    assert box.run(source, "f", grants=["fs:workspace:rw"]).value == ["d", "two"]
    assert (workspace / "d" / "b").read_text() == "one"
    if box.warm() == "namespaces":
        assert (workspace / "two").stat().st_uid == os.geteuid()


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "/proc/self/environ", "/workspace/../secret"])
def test_nothing_beside_the_workspace_is_reached(workshop: tuple[Sandbox, Path], path: str) -> None:
    box, workspace = workshop
    (workspace / "link").symlink_to(workspace.parent / "secret")
    for target in (path, "link", str(workspace.parent / "secret")):
        result = box.run(READ, "f", target, grants=["fs:workspace:rw"])
        assert result.status == "error", target


def test_no_links_or_set_id_files_come_back(workshop: tuple[Sandbox, Path]) -> None:
    box, workspace = workshop
    for action in (
        "os.symlink('/etc/shadow', 'trap')",
        "os.chmod('note', 0o4755)",
        "os.open('new', os.O_CREAT | os.O_WRONLY, 0o6755)",
        "os.mknod('device')",
        "os.mkfifo('pipe')",
        "os.mkdir('dir', 0o2755)",
    ):
        result = box.run(f"import os\ndef f(x):\n    {action}\n", "f", grants=["fs:workspace:rw"])
        assert result.status == "error", action
    assert [p.name for p in workspace.iterdir()] == ["note"]
    assert not (workspace / "note").stat().st_mode & 0o6000


def test_a_workspace_is_not_lent_without_the_grant(workshop: tuple[Sandbox, Path]) -> None:
    box, workspace = workshop
    for path in ("note", "/workspace/note", str(workspace / "note")):
        assert box.run(READ, "f", path).status == "error"


@pytest.mark.parametrize(
    ("grant", "said"),
    [
        ("fs:/etc", "unknown grant"),
        ("net", "unknown grant"),
        ("net:", "unknown grant"),
        ("net:a b", "does not name a host"),
        ("net:host:99999", "port"),
        ("net:host:x", "port"),
        ("net:*.org", "does not name a host"),
        ("exec", "unknown grant"),
        ("fs:workspace", "no workspace"),
    ],
)
def test_a_grant_that_means_nothing_is_named(best: Sandbox, grant: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        best.run(READ, "f", "x", grants=[grant])


def test_a_workspace_must_be_a_directory(tmp_path: Path) -> None:
    for place in (tmp_path / "none", Path("/")):
        with Sandbox(workspace=place) as box, pytest.raises(InputError, match="workspace"):
            box.run(READ, "f", "x", grants=["fs:workspace"])


def test_packages_are_importable_only_with_the_grant(box: Sandbox) -> None:
    source = "import rich, pydantic_core\ndef f(x): return pydantic_core.to_json({'a': 1}).decode()\n"
    assert box.run(source, "f", grants=["package"]).value == '{"a":1}'
    assert "ModuleNotFoundError" in str(box.run(source, "f").error)
    assert "JIT recursion" in str(box.run("import mayfly.sandbox", "f", grants=["package"]).error)


def test_packages_below_a_directory_of_root_alone_are_importable(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    (site / "mine").mkdir(parents=True)
    (site / "mine" / "__init__.py").write_text("")
    (site / "mine" / "inner.py").write_text("NUMBER = 42\n")
    tmp_path.chmod(0o700)
    monkeypatch.setattr(_grants, "site_packages", lambda: (str(site),))
    source = "from mine.inner import NUMBER\ndef f(x): return NUMBER\n"
    with Sandbox(level=level) as box:
        assert box.run(source, "f", grants=["package"]).value == 42


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"path": self.path, "agent": self.headers.get("User-Agent", "")}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def server() -> Iterator[http.server.ThreadingHTTPServer]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def walled() -> Iterator[Sandbox]:
    with Sandbox(level="namespaces") as box:
        yield box


def test_a_named_host_is_reached_through_the_door(walled: Sandbox, server: http.server.ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{server.server_port}/a?b=1"
    for grant in ("net:127.0.0.1", f"net:127.0.0.1:{server.server_port}"):
        assert '"path": "/a?b=1"' in str(walled.run(FETCH, "f", url, grants=[grant]).value)
    assert walled.run(FETCH, "f", url.replace("127.0.0.1", "localhost"), grants=["net:localhost"]).ok


@pytest.mark.first(2)
@pytest.mark.parametrize("grants", [[], ["net:127.0.0.1:1"], ["net:*"], ["net:example.org"], ["net:10.0.0.1"]])
def test_a_host_that_is_not_granted_is_not_reached(
    walled: Sandbox, server: http.server.ThreadingHTTPServer, grants: list[str]
) -> None:
    for host in ("127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "127.1"):
        result = walled.run(FETCH, "f", f"http://{host}:{server.server_port}/", grants=grants)
        assert result.status == "error", host


def test_a_public_name_that_points_inward_is_not_followed(
    walled: Sandbox, server: http.server.ThreadingHTTPServer
) -> None:
    name = socket.gethostname()
    result = walled.run(FETCH, "f", f"http://{name}:{server.server_port}/", grants=["net:*"])
    assert result.status == "error"


@pytest.mark.later
def test_ordinary_client_libraries_just_work(walled: Sandbox, server: http.server.ThreadingHTTPServer) -> None:
    source = (
        "import asyncio, httpx, requests\n"
        "async def g(url):\n    async with httpx.AsyncClient() as c:\n        return (await c.get(url)).status_code\n"
        "def f(url):\n    big = 'x' * 300_000\n"
        "    with httpx.Client() as c:\n        a = [c.get(url).status_code for _ in range(2)]\n"
        "    return a + [requests.get(url).status_code, len(requests.post(url, data=big).text), asyncio.run(g(url))]\n"
    )
    url = f"http://127.0.0.1:{server.server_port}/"
    result = walled.run(source, "f", url, grants=["net:127.0.0.1", "package"])
    assert result.value == [200, 200, 200, 300_000, 200], result


@pytest.mark.later
def test_the_door_tunnels_with_connect(walled: Sandbox, server: http.server.ThreadingHTTPServer) -> None:
    source = (
        "import http.client\ndef f(port):\n    c = http.client.HTTPConnection('127.0.0.1', 3128)\n"
        "    c.set_tunnel('127.0.0.1', port)\n    c.request('GET', '/t')\n    return c.getresponse().status\n"
    )
    assert walled.run(source, "f", server.server_port, grants=["net:127.0.0.1"]).value == 200
    assert "403" in str(walled.run(source, "f", 1, grants=["net:127.0.0.1:80"]).error)


@pytest.mark.parametrize(
    "request_bytes",
    [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100 + b"\r\n\r\n", b"A" * 100_000, b"CONNECT x HTTP/1.1\r\n\r\n", b"\r\n\r\n"],
)
def test_the_door_answers_nonsense_with_an_error_and_lives(
    walled: Sandbox, server: http.server.ThreadingHTTPServer, request_bytes: bytes
) -> None:
    source = (
        "import socket\ndef f(text):\n    s = socket.create_connection(('127.0.0.1', 3128))\n"
        "    s.sendall(text.encode('latin-1'))\n    s.shutdown(1)\n    return s.recv(100).decode()\n"
    )
    result = walled.run(source, "f", request_bytes.decode("latin-1"), grants=["net:127.0.0.1"])
    assert result.status == "error" or str(result.value).startswith(("HTTP/1.1 502", "HTTP/1.1 403"))
    assert walled.run(FETCH, "f", f"http://127.0.0.1:{server.server_port}/", grants=["net:127.0.0.1"]).ok


def test_a_job_with_a_net_grant_can_listen_nowhere_and_speak_nothing_but_tcp(walled: Sandbox) -> None:
    for action in (
        "s = socket.socket(); s.bind(('127.0.0.1', 0))",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_UNIX)",
        "socket.create_connection(('127.0.0.1', 1), timeout=1)",
    ):
        result = walled.run(f"import socket\ndef f(x):\n    {action}\n", "f", grants=["net:127.0.0.1"])
        assert result.status == "error", action


def test_net_is_refused_where_there_are_no_namespaces() -> None:
    with Sandbox(level="landlock") as box:
        result = box.run(FETCH, "f", "http://127.0.0.1/", grants=["net:127.0.0.1"])
    assert result.status == "refused"
    assert "namespaces" in str(result.error)


def test_guarded_code_can_open_files_only_with_a_workspace(workshop: tuple[Sandbox, Path]) -> None:
    box, _ = workshop
    assert box.run(READ, "f", "note", grants=["fs:workspace"], imports=EPHEMERAL_IMPORTS).value == "hello"
    assert "NameError" in str(box.run(READ, "f", "note", imports=EPHEMERAL_IMPORTS).error)


def test_a_sandbox_can_give_every_job_the_same_grants(workshop: tuple[Sandbox, Path]) -> None:
    box, _ = workshop
    with GrantedSandbox(box, ["fs:workspace"]) as granted:
        assert granted.run(READ, "f", "note").value == "hello"
        with granted.stream("def f(path):\n    yield from open(path)\n", "f", "note") as stream:
            assert list(stream) == ["hello"]
        assert [one.value for one in granted.map(READ, "f", ["note", "note"])] == ["hello"] * 2
    assert box.run(READ, "f", "note").status == "error"
    assert granted.run(READ, "f", "note").value == "hello"


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("grants", "left"),
    [
        ((), ()),
        (("fs:workspace:rw", "net:example.org", "package"), ("fs:workspace", "package")),
        (("net:*",), ()),
        (("fs:workspace:ro",), ("fs:workspace",)),
    ],
)
def test_what_only_reads_is_left_for_what_runs_any_number_of_times(
    grants: tuple[str, ...], left: tuple[str, ...]
) -> None:
    assert only_reading(grants) == left


def test_grants_can_be_checked_before_anything_runs(workshop: tuple[Sandbox, Path]) -> None:
    box, _ = workshop
    box.check_grants(["fs:workspace", "net:example.org"])
    with pytest.raises(InputError, match="unknown grant 'everything'"):
        box.check_grants(["everything"])
    with Sandbox() as bare, pytest.raises(InputError, match="no workspace"):
        bare.check_grants(["fs:workspace"])
