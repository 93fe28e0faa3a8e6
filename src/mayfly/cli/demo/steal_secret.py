"""Look for a secret where programs keep them: a file, the environment, the parent's environment."""

import os
from pathlib import Path


def steal(path: str) -> dict[str, object]:
    """Return whatever could be read, and what each try came to."""
    found: list[str] = []
    tries: dict[str, str] = {}
    for place in (path, "/etc/shadow", f"/proc/{os.getppid()}/environ", "/proc/1/environ"):
        try:
            found.append(Path(place).read_bytes().decode(errors="replace"))
            tries[place] = "read"
        except OSError as error:
            tries[place] = error.strerror or str(error)
    found += [f"{name}={value}" for name, value in os.environ.items()]
    return {"found": found, "stopped": f"{tries[path].lower()}; {len(os.environ)} variables in the environment"}
