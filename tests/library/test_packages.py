"""Packages for tools: they come into a place of their own, whole or not at all, and are seen where they are granted."""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import InputError, LibrarySettings, LimitError, Settings
from mayfly.library import Unavailable, package_name
from mayfly.runtime import Runtime

SOURCE = '''import shapes


def area_twice(side: int) -> int:
    """Twice the area of a square."""
    return shapes.area(side) * 2
'''


def wheel(place: Path, name: str = "shapes", version: str = "1.0", needs: str = "", code: str = "") -> Path:
    """Make a wheel of one module with types."""
    code = code or "def area(side: int) -> int:\n    return side * side\n"
    path = place / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    files = {
        f"{name}/__init__.py": code,
        f"{name}/py.typed": "",
        f"{about}/METADATA": metadata,
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as file:
        for inside, text in files.items():
            file.writestr(inside, text)
        file.writestr(f"{about}/RECORD", "".join(f"{inside},,\n" for inside in [*files, f"{about}/RECORD"]))
    return path


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """A runtime whose pip knows the wheels of a directory and no index."""
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    with Runtime(Settings(state_dir=str(tmp_path / "state"))) as found:
        yield found


@pytest.mark.parametrize(
    "text",
    [
        *("", "-r x", "--index-url=http://evil", "git+https://x/y", "https://x/y.whl?z", "../x", "a b", "a==1,==2"),
        *("a>=1", "a @ http://x", "a;b", "a\nb", "/etc/passwd", "a[x]", "-e .", "a==-1", "_a"),
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        package_name(text)


def test_names_are_compared_as_pip_does() -> None:
    assert package_name(" Foo_Bar.baz==1.0 ") == package_name("foo-bar-baz") == "foo-bar-baz"
    assert package_name("/tmp/Foo_bar-1.0-py3-none-any.whl") == "foo-bar"


def test_s_38_what_is_installed_has_its_hashes_recorded(runtime: Runtime, tmp_path: Path) -> None:
    path = wheel(tmp_path / "wheels")
    made = runtime.parts.packages.install("shapes", by="somebody")
    assert [(one.name, one.version) for one in made.distributions] == [("shapes", "1.0")]
    assert made.distributions[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    (noted,) = runtime.parts.ledger.read(kind="package.installed")
    assert noted.payload["distributions"][0]["sha256"] == made.distributions[0].sha256  # type: ignore[index,call-overload]
    assert runtime.parts.packages.list() == [made]
    assert runtime.parts.packages.install("shapes") == made, "the same again changes nothing"


def test_s_13_a_tool_imports_what_was_installed_and_only_then(runtime: Runtime, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels")
    order = {
        "name": "area_twice",
        "source": SOURCE,
        "examples": [{"input": 3, "output": 18}, {"input": 1, "output": 2}],
    }
    refused = runtime.tools.write("twice the area of a square", **order)
    assert refused.decision == "reject"
    assert "shapes" in refused.reason
    runtime.parts.packages.install("shapes")
    made = runtime.tools.write("twice the area of a square", **order)
    assert made.decision == "accept", made.reason
    assert runtime.tools.call("area_twice", {"side": 5}).value == 50
    runtime.parts.packages.remove("shapes")
    gone = runtime.tools.call("area_twice", {"side": 5})
    assert gone.status != "ok"
    assert "shapes" in str(gone.error)


def test_the_environment_of_the_host_stays_as_it_is(runtime: Runtime, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels")
    runtime.parts.packages.install("shapes")
    found = subprocess.run([sys.executable, "-c", "import shapes"], capture_output=True, text=True)
    assert "ModuleNotFoundError" in found.stderr


def test_what_a_package_needs_comes_with_it_in_the_version_that_is_there(runtime: Runtime, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", version="1.0")
    runtime.parts.packages.install("shapes")
    wheel(tmp_path / "wheels", version="2.0")
    wheel(tmp_path / "wheels", "drawing", needs="shapes", code="x: int = 1\n")
    made = runtime.parts.packages.install("drawing")
    assert {(one.name, one.version) for one in made.distributions} == {("drawing", "1.0"), ("shapes", "1.0")}


def test_a_newer_version_is_seen_before_the_older_one(runtime: Runtime, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", version="1.0", code="VALUE: int = 1\n")
    wheel(tmp_path / "wheels", version="2.0", code="VALUE: int = 2\n")
    packages, sandbox = runtime.parts.packages, runtime.parts.sandbox
    source = "import shapes\ndef f(x): return shapes.VALUE\n"
    packages.install("shapes==1.0")
    assert sandbox.run(source, "f", grants=["package"]).value == 1
    packages.install("shapes==2.0")
    assert sandbox.run(source, "f", grants=["package"]).value == 2
    assert "ModuleNotFoundError" in str(sandbox.run(source, "f").error), "without the grant there is nothing to import"
    packages.remove("shapes==2.0")
    assert sandbox.run(source, "f", grants=["package"]).value == 1


def test_what_cannot_be_had_is_one_line_and_leaves_nothing(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="nowhere cannot be installed"):
        runtime.parts.packages.install("nowhere")
    with pytest.raises(InputError, match="there is no file"):
        runtime.parts.packages.install(str(tmp_path / "x-1.0-py3-none-any.whl"))
    (tmp_path / "bad-1.0-py3-none-any.whl").write_text("no zip")
    with pytest.raises(Unavailable):
        runtime.parts.packages.install(str(tmp_path / "bad-1.0-py3-none-any.whl"))
    assert runtime.parts.packages.list() == []
    root = tmp_path / "state" / "packages" / str(sys.implementation.cache_tag)
    assert [one.name for one in root.iterdir()] == [".lock"]


def test_source_distributions_run_code_and_are_not_taken(runtime: Runtime, tmp_path: Path) -> None:
    source = tmp_path / "evil"
    source.mkdir()
    (source / "setup.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with zipfile.ZipFile(tmp_path / "wheels" / "evil-1.0.zip", "w") as file:
        file.write(source / "setup.py", "evil-1.0/setup.py")
        file.writestr("evil-1.0/PKG-INFO", "Metadata-Version: 1.0\nName: evil\nVersion: 1.0\n")
    with pytest.raises(Unavailable):
        runtime.parts.packages.install("evil")
    assert not (tmp_path / "ran").exists()


def test_a_package_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    path = wheel(tmp_path, code="#" * 10_000)
    settings = Settings(state_dir=str(tmp_path / "state"), library=LibrarySettings(package_bytes=5_000))
    with Runtime(settings) as runtime, pytest.raises(LimitError):
        runtime.parts.packages.install(str(path))
    with Runtime(settings) as runtime:
        assert runtime.parts.packages.list() == []


def test_what_a_killed_one_left_is_cleared_away_and_never_seen(runtime: Runtime, tmp_path: Path) -> None:
    root = tmp_path / "state" / "packages" / str(sys.implementation.cache_tag)
    (root / ".new-abc" / "site" / "half").mkdir(parents=True)
    (root / ".gone-1-x-1").mkdir()
    assert runtime.parts.packages.paths() == ()
    wheel(tmp_path / "wheels")
    runtime.parts.packages.install("shapes")
    assert sorted(one.name[:1] for one in root.iterdir()) == [".", "1"]


def test_keys_of_the_host_are_not_shown_to_pip(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    seen: list[dict[str, str]] = []
    real = subprocess.Popen

    def spy(*words: object, **more: object) -> object:
        seen.append(dict(more["env"]))  # type: ignore[call-overload]
        return real(*words, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", spy)
    wheel(tmp_path / "wheels")
    runtime.parts.packages.install("shapes")
    assert "PIP_NO_INDEX" in seen[0]
    assert "OPENAI_API_KEY" not in seen[0]
    assert os.environ["OPENAI_API_KEY"]


def test_a_package_that_names_mayfly_gives_no_way_back_in(runtime: Runtime, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "mayfly", code="VALUE: int = 1\n")
    runtime.parts.packages.install("mayfly")
    result = runtime.parts.sandbox.run("import mayfly\ndef f(x): return mayfly.VALUE\n", "f", grants=["package"])
    assert result.status == "error"
