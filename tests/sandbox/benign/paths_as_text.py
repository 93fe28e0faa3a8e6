"""Pure paths, fnmatch and mime types: no file is touched."""

import fnmatch
from pathlib import PurePosixPath, PureWindowsPath

ARGUMENT = ["/srv/data/report.2024.tar.gz", "notes/../a.txt", "C:\\Users\\x\\f.PY"]


def main(argument):
    path = PurePosixPath(argument[0])
    return {
        "parts": path.parts,
        "names": [path.name, path.stem, path.suffix, path.suffixes],
        "parent": str(path.parent.parent),
        "joined": str(PurePosixPath("/a") / "b" / "../c"),
        "relative": str(path.relative_to("/srv")),
        "windows": [PureWindowsPath(argument[2]).drive, PureWindowsPath(argument[2]).suffix.lower()],
        "matches": fnmatch.filter(["a.py", "b.txt", "c.py"], "*.py"),
        "changed": str(path.with_suffix(".zip")),
    }
