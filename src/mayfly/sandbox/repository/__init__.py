"""Git repositories that an agent may have written to: what they hold and name, with nothing of them run or trusted."""

from mayfly.sandbox.repository._directory import GitDirectory
from mayfly.sandbox.repository._git import WHO, Git, GitFailed
from mayfly.sandbox.repository._kinds import GitKind, kinds_of
from mayfly.sandbox.repository._refs import Anchors, is_ref_name, read_anchors, resolve_ref
from mayfly.sandbox.repository._remotes import RemoteUrl, checked_url, remote_url
from mayfly.sandbox.repository._store import SAFELY, ObjectStore, config_for, path_outside

__all__ = [
    "SAFELY",
    "WHO",
    "Anchors",
    "Git",
    "GitDirectory",
    "GitFailed",
    "GitKind",
    "ObjectStore",
    "RemoteUrl",
    "checked_url",
    "config_for",
    "is_ref_name",
    "kinds_of",
    "path_outside",
    "read_anchors",
    "remote_url",
    "resolve_ref",
]
