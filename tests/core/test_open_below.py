"""Opening a file below a directory: no step leads out of it."""

import os
from pathlib import Path

import pytest

from mayfly.core import open_below


def test_a_file_below_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_text("here")
    with open(open_below(str(tmp_path), "a/./b")) as file:
        assert file.read() == "here"


@pytest.mark.parametrize("path", ["../secret", "a/../../secret", "link/secret", "/secret"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (tmp_path / "secret").write_text("not yours")
    (root / "link").symlink_to(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError):  # noqa: PT011 - a link, a directory above and a missing name differ
        open_below(str(root), path)
    assert len(os.listdir("/proc/self/fd")) == before
