"""A tool of this project. It serves once it has passed all gates and its tests:

mayfly tools write --name slug --source mayfly.d/tools/slug.py --tests mayfly.d/tools/slug_tests.py
mayfly tools call slug "Hello, World!"
"""

import re


def slug(title: str) -> str:
    """Turn a title into the part of an address that stands for it."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))
