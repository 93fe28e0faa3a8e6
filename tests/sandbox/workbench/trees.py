import os
from pathlib import Path


def tree(place: Path) -> dict[str, tuple[int, str]]:
    """Return all of a directory: the mode and the contents or target of everything in it."""
    found: dict[str, tuple[int, str]] = {}
    for directory, names, files in os.walk(place):
        for name in (*names, *files):
            path = Path(directory) / name
            mode = path.lstat().st_mode
            text = os.readlink(path) if path.is_symlink() else path.read_bytes().hex() if path.is_file() else ""
            found[str(path.relative_to(place))] = (mode, text)
    return found
