"""Pushes: to the address in `.git/config` and nowhere else, what was agreed to, with nothing of the repository run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import InputError, SessionSettings, Settings
from mayfly.runtime import Session
from mayfly.testing import chat_server
from mayfly.world._push import plan_push, planned_again, push
from session.scenes import calls, says
from session.test_executor import model

from .git_servers import PASSWORD, USER, https_server, make_certificate, ssh_server


def git(place: Path, *words: str) -> str:
    """Run git as the person does."""
    who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True, text=True).stdout.strip()


def commit(place: Path, name: str) -> str:
    """Make a commit with one new file, and return its id."""
    (place / name).write_text(f"{name}\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", f"add {name}")
    return git(place, "rev-parse", "HEAD")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with one commit on the branch topic."""
    place = tmp_path / "work"
    place.mkdir()
    git(place, "init", "-q", "-b", "topic")
    commit(place, "a.txt")
    return place


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a person who trusts the server's certificate and keeps the password in a helper."""
    place = tmp_path / "home"
    place.mkdir()
    certificate = make_certificate(tmp_path / "certificate.pem")
    helper = f"!f() {{ echo username={USER}; echo password={PASSWORD}; }}; f"
    (place / ".gitconfig").write_text(
        f'[http]\n\tsslCAInfo = {certificate}\n[credential]\n\thelper = "{helper}"\n[push]\n\tfollowTags = true\n'
    )
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    return place


@pytest.fixture
def remote(tmp_path: Path, home: Path, workspace: Path) -> Iterator[Path]:
    """An empty repository behind an HTTPS server, which is the remote origin."""
    place = tmp_path / "served" / "project.git"
    subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    with https_server(place.parent, tmp_path / "certificate.pem") as address:
        git(workspace, "remote", "add", "origin", f"{address}/project.git")
        yield place


def pushed(workspace: Path, remote: str = "origin", ref: str = "topic") -> str:
    return push(workspace, plan_push(workspace, remote, ref).payload())


def test_a_push_over_https_with_the_persons_own_password_helper(workspace: Path, remote: Path) -> None:
    head = git(workspace, "rev-parse", "HEAD")
    git(workspace, "tag", "-a", "v1", "-m", "one")
    told = plan_push(workspace, "origin", "topic").told()
    assert "https://127.0.0.1" in told
    assert head in told
    assert "add a.txt (T)" in told
    assert "pushed refs/heads/topic" in pushed(workspace)
    assert git(remote, "for-each-ref", "--format=%(refname) %(objectname)") == f"refs/heads/topic {head}"
    later = commit(workspace, "b.txt")
    pushed(workspace)
    pushed(workspace, ref="v1")
    refs = git(remote, "for-each-ref", "--format=%(refname)").split()
    assert (git(remote, "rev-parse", "topic"), refs) == (later, ["refs/heads/topic", "refs/tags/v1"])


@pytest.fixture
def over_ssh(tmp_path: Path, home: Path) -> Path:
    """An empty repository that is reached over SSH."""
    place = tmp_path / "project.git"
    subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    return place


def test_a_push_over_ssh_runs_ssh_with_the_persons_agent(
    tmp_path: Path, workspace: Path, over_ssh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a program stands in the place of ssh, notes how it was called and runs what the other side would."""
    stand_in = tmp_path / "bin" / "ssh"
    stand_in.parent.mkdir()
    stand_in.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" "$SSH_AUTH_SOCK" > {tmp_path}/asked\nfor last; do :; done\neval "$last"\n'
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
    git(workspace, "config", "remote.origin.url", f"git@example.org:{over_ssh}")
    pushed(workspace)
    assert git(over_ssh, "rev-parse", "topic") == git(workspace, "rev-parse", "HEAD")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-3:] == ["git@example.org", f"git-receive-pack '{over_ssh}'", "/run/agent"]


def test_a_push_over_ssh_to_the_sshd_of_this_machine(
    tmp_path: Path, home: Path, workspace: Path, over_ssh: Path
) -> None:
    """Where the machine has no sshd that lets its user in, there is nothing to push to, and none is made."""
    with ssh_server(tmp_path / "sshd") as found:
        host, command = found or ("git@127.0.0.1:1", "ssh -o BatchMode=yes")
        (home / ".gitconfig").write_text(f"[core]\n\tsshCommand = {command}\n")
        git(workspace, "config", "remote.origin.url", f"ssh://{host}{over_ssh}")
        if found is None:
            with pytest.raises(InputError, match="the push failed"):
                pushed(workspace)
        else:
            pushed(workspace)
    refs = git(over_ssh, "for-each-ref", "--format=%(objectname)")
    assert refs == ("" if found is None else git(workspace, "rev-parse", "HEAD"))


@pytest.mark.first(6)
@pytest.mark.parametrize(
    "setting",
    [
        ("core.sshCommand", "{run}"),
        ("core.gitProxy", "{run}"),
        ("core.hooksPath", "evil"),
        ("core.fsmonitor", "{run}"),
        ("core.askPass", "{run}"),
        ("core.alternateRefsCommand", "{run}"),
        ("credential.helper", "!{run}"),
        ("push.gpgSign", "true"),
        ("gpg.program", "{run}"),
        ("push.followTags", "true"),
        ("push.recurseSubmodules", "on-demand"),
        ("http.proxy", "http://127.0.0.1:1"),
        ("http.sslVerify", "false"),
        ("http.extraHeader", "Authorization: Basic x"),
        ("remote.origin.receivepack", "{run}"),
        ("remote.origin.uploadpack", "{run}"),
        ("remote.origin.proxy", "http://127.0.0.1:1"),
        ("remote.origin.vcs", "evil"),
        ("remote.origin.mirror", "true"),
        ("remote.origin.push", "+refs/*:refs/*"),
        ("remote.origin.promisor", "true"),
        ("url.ext::{run}.insteadOf", "https://"),
        ("url.ext::{run}.pushInsteadOf", "https://"),
        ("include.path", "evil/config"),
        ("extensions.worktreeConfig", "true"),
        ("uploadpack.packObjectsHook", "{run}"),
        ("pack.packSizeLimit", "1"),
        ("transfer.credentialsInUrl", "die"),
        ("log.showSignature", "true"),
        ("protocol.ext.allow", "always"),
        ("alias.push", "!{run}"),
    ],
    ids=lambda setting: setting[0],
)
def test_no_setting_of_the_repository_is_in_force(
    workspace: Path, remote: Path, tmp_path: Path, setting: tuple[str, str]
) -> None:
    run = workspace / "evil" / "pre-push"
    run.parent.mkdir()
    run.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    run.chmod(0o755)
    (workspace / "evil" / "config").write_text(f"[core]\n\tsshCommand = {run}\n\thooksPath = evil\n")
    (workspace / ".git" / "config.worktree").write_text("[core]\n\thooksPath = evil\n")
    (workspace / ".git" / "hooks").mkdir(exist_ok=True)
    (workspace / ".git" / "hooks" / "pre-push").write_bytes(run.read_bytes())
    (workspace / ".git" / "hooks" / "pre-push").chmod(0o755)
    key, value = (text.replace("{run}", str(run)) for text in setting)
    (workspace / ".git" / "config").open("a").close()
    git(workspace, "config", "--add", key, value)
    git(workspace, "tag", "-a", "v1", "-m", "one")
    assert "pushed" in pushed(workspace)
    assert not (tmp_path / "ran").exists()
    assert git(remote, "for-each-ref", "--format=%(refname)") == "refs/heads/topic"


REFUSED = [
    *("/srv/project.git", "./project.git", "../x", "project.git", "~/x", "file:///srv/x", "file:/srv/x"),
    *("ext::sh -c touch% x", "ext::https://x/y", "fd::7", "https::https://h/x", "git://h/x", "http://h/x", "ftp://h/x"),
    *(
        "git+ssh://h/x",
        "ssh://-oProxyCommand=x/y",
        "-oProxyCommand=x:y",
        "a@-oProxyCommand=x:y",
        "ssh://h",
        "https://h",
    ),
    *("https://h/x y", "https://h/%0ax", "https://h\n/x", "", "h:-x", "https://user@evil@h/x", "https:///x"),
]


@pytest.mark.parametrize("address", REFUSED)
def test_only_another_machine_over_https_or_ssh_is_a_place_to_push_to(workspace: Path, address: str) -> None:
    git(workspace, "config", "remote.origin.url", address)
    with pytest.raises(InputError, match="not one of another machine"):
        plan_push(workspace, "origin", "topic")


@pytest.mark.parametrize(
    "address", ["git@h:a/b.git", "h:b", "ssh://u@h:22/x", "https://h:8443/a/b.git", "ssh://[::1]/x"]
)
def test_addresses_that_are_good(workspace: Path, address: str) -> None:
    git(workspace, "config", "remote.origin.url", address)
    assert plan_push(workspace, "origin", "topic").url.shown == address


def test_the_remote_is_what_the_config_says_and_nothing_else(workspace: Path, tmp_path: Path) -> None:
    (workspace / ".git" / "branches").mkdir(exist_ok=True)
    (workspace / ".git" / "branches" / "upstream").write_text("https://h/x\n")
    (workspace / ".git" / "remotes").mkdir()
    (workspace / ".git" / "remotes" / "other").write_text("URL: https://h/x\n")
    (workspace / "more").write_text('[remote "included"]\n\turl = https://h/x\n')
    git(workspace, "config", "include.path", "../more")
    for name in ("upstream", "other", "included", "https://h/x", "src/../.git/refs/x", "."):
        with pytest.raises(InputError, match="no remote"):
            plan_push(workspace, name, "topic")
    git(workspace, "config", "remote.origin.url", "https://h/fetch")
    git(workspace, "config", "remote.origin.pushurl", "https://h/push")
    assert plan_push(workspace, "origin", "topic").url.full == "https://h/push"
    git(workspace, "config", "--add", "remote.origin.pushurl", "https://h/second")
    with pytest.raises(InputError, match="has 2 addresses"):
        plan_push(workspace, "origin", "topic")


def test_a_repository_that_is_elsewhere_is_refused(workspace: Path, tmp_path: Path) -> None:
    git(workspace, "config", "remote.origin.url", "https://h/x")
    git(workspace, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "other")
    with pytest.raises(InputError, match=r"no \.git directory of its own"):
        plan_push(tmp_path / "second", "origin", "other")
    (workspace / ".git").rename(tmp_path / "real")
    (workspace / ".git").symlink_to(tmp_path / "real")
    with pytest.raises(InputError, match=r"no \.git directory of its own"):
        plan_push(workspace, "origin", "topic")


def test_a_name_and_password_in_the_address_are_never_shown(workspace: Path, remote: Path) -> None:
    address = git(workspace, "config", "remote.origin.url")
    git(workspace, "config", "remote.origin.url", address.replace("://", f"://{USER}:{PASSWORD}@"))
    planned = plan_push(workspace, "origin", "topic")
    told = push(workspace, planned.payload())
    assert planned.url.shown == address
    assert PASSWORD not in planned.payload() + planned.told() + told
    git(workspace, "config", "remote.origin.url", address.replace("://", f"://{USER}:{PASSWORD}@") + "/gone")
    with pytest.raises(InputError) as failed:
        pushed(workspace)
    assert PASSWORD not in str(failed.value)


@pytest.mark.first(1)
@pytest.mark.parametrize("what", ["ref", "address", "tracked"])
def test_an_approval_is_stale_where_something_moved(workspace: Path, remote: Path, what: str) -> None:
    pushed(workspace)
    commit(workspace, "b.txt")
    payload = plan_push(workspace, "origin", "topic").payload()
    if what == "ref":
        commit(workspace, "c.txt")
    elif what == "address":
        git(workspace, "config", "remote.origin.url", "https://127.0.0.1:1/other.git")
    else:
        git(workspace, "update-ref", "refs/remotes/origin/topic", "HEAD~1")
    with pytest.raises(InputError, match="the approval is stale") as stale:
        push(workspace, payload)
    assert "\n" not in str(stale.value)
    with pytest.raises(InputError, match="the approval is stale"):
        planned_again(workspace, payload)
    assert git(remote, "rev-list", "--count", "topic") == "1"


def test_commits_that_were_hidden_behind_a_tracked_branch_do_not_go(workspace: Path, remote: Path) -> None:
    head = commit(workspace, "secret.txt")
    git(workspace, "update-ref", "refs/remotes/origin/other", head)
    planned = plan_push(workspace, "origin", "topic")
    assert planned.commits == ()
    with pytest.raises(InputError, match="lacks 2 commits that it was thought to have"):
        push(workspace, planned.payload())
    assert git(remote, "for-each-ref") == ""


def test_what_others_pushed_is_not_overwritten(workspace: Path, remote: Path) -> None:
    pushed(workspace)
    git(workspace, "commit", "-q", "--amend", "-m", "another")
    with pytest.raises(InputError, match="would be lost"):
        pushed(workspace)
    git(workspace, "update-ref", "refs/remotes/origin/topic", git(remote, "rev-parse", "topic"))
    with pytest.raises(InputError, match="would be lost"):
        plan_push(workspace, "origin", "topic")


def test_what_is_pushed_is_one_branch_or_tag(workspace: Path) -> None:
    git(workspace, "config", "remote.origin.url", "https://h/x")
    git(workspace, "tag", "topic")
    with pytest.raises(InputError, match="a branch and a tag"):
        plan_push(workspace, "origin", "topic")
    assert plan_push(workspace, "origin", "refs/heads/topic").ref == "refs/heads/topic"
    for name in ("HEAD", "gone", "refs/remotes/origin/topic", "refs/heads/../heads/topic", "topic:main", "+topic"):
        with pytest.raises(InputError, match="no branch or tag"):
            plan_push(workspace, "origin", name)
    git(workspace, "pack-refs", "--all")
    git(workspace, "replace", "HEAD", git(workspace, "commit-tree", "HEAD^{tree}", "-m", "shown instead"))
    assert plan_push(workspace, "origin", "refs/heads/topic").titles[0].endswith("add a.txt (T)")


def test_programs_of_the_workspace_are_not_on_the_way(
    workspace: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = workspace / ".venv" / "bin"
    place.mkdir(parents=True)
    (place / "git").write_text("#!/bin/sh\nexit 9\n")
    (place / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:bin:{os.environ['PATH']}")
    assert "pushed" in pushed(workspace)


def test_a_person_agrees_to_a_push_and_no_profile_does(workspace: Path, remote: Path, tmp_path: Path) -> None:
    chosen = SessionSettings(profile="autonomous", approvals=5)
    settings = Settings(state_dir=str(tmp_path / "state"), session=chosen)
    wanted = calls(("git_push", {"remote": "origin", "ref": "topic"}))
    with (
        chat_server(model(wanted, says("waits"))) as server,
        Session(settings, workspace=workspace, model=server.model) as one,
    ):
        one.turn("Update the remote")
        assert git(remote, "for-each-ref") == ""
        waiting = one.approvals.list()[0]
        assert waiting.asked.action == "git_push"
        assert json.loads(waiting.asked.payload)["head"] == git(workspace, "rev-parse", "HEAD")
        assert "https://127.0.0.1" in one.approvals.diff(waiting)
        assert "pushed refs/heads/topic" in one.approvals.approve(waiting.id, by="T", reason="fine")
        commit(workspace, "b.txt")
    with (
        chat_server(model(wanted, says("waits"))) as server,
        Session(settings, workspace=workspace, model=server.model) as two,
    ):
        two.turn("Update the remote")
        assert len(two.approvals.list()) == 1
    assert git(remote, "rev-list", "--count", "topic") == "1"


def test_an_approval_of_one_session_is_none_for_another(workspace: Path, remote: Path, tmp_path: Path) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"))
    wanted = calls(("git_push", {"remote": "origin", "ref": "topic"}))
    for _ in range(2):
        with (
            chat_server(model(wanted, says("waits"))) as server,
            Session(settings, workspace=workspace, model=server.model) as one,
        ):
            one.turn("Update the remote")
            (waiting,) = one.approvals.list()
            one.approvals.approve(waiting.id, by="T", reason="fine")
    assert git(remote, "rev-parse", "topic") == git(workspace, "rev-parse", "HEAD")
