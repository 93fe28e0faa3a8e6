"""One list says which paths hold secrets, and tricks with a name do not get round it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import secret_path

SECRET = [
    *(".env", "deploy/.env", ".env.local", ".env.production.local", ".env-prod", ".env~", ".env.bak", "prod.env"),
    *("id_rsa", "deploy/id_ed25519", "keys/id_rsa_deploy", "id_rsa.old", ".id_rsa.swp", "id_ecdsa-work"),
    *(".ssh/config", ".aws/credentials", "home/.kube/config", ".gnupg/pubring.kbx", ".netrc", "a/.pgpass"),
    *("server.pem", "tls/site.KEY", "store.jks", "release.keystore", "vault.kdbx", "laptop.ovpn", "cert.p12"),
    *("config/secrets.yml", "config/master.key", "credentials", "gcp/credentials.json", "credentials.json.bak"),
    *("terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "x.auto.tfvars.json", ".htpasswd"),
    *(".npmrc", ".pypirc", ".git-credentials"),
    *(".docker/config.json", "x/.config/gh/hosts.yml", ".cargo/credentials.toml", ".config/gcloud/access_tokens.db"),
    *("/etc/shadow", "/proc/self/environ", "/proc/1/environ", "proc/17/fd/3", "secrets.toml.orig", "wallet.dat"),
]
PLAIN = [
    *("src/app.py", "README.md", ".envrc", ".environment", "environment.yml", "env.py", "src/env/__init__.py"),
    *(".env.example", ".env.sample", "config/.env.template", ".env.dist", "id_rsa.pub", "id_ed25519.pub"),
    *(".docker/Dockerfile", "src/shadow/render.c", "docs/keys.md", "monkey.py", "keyboard/keymap.json", "a.keys"),
    *("src/credentials/__init__.py", "src/credentials.py", "secrets.py", "tests/test_secrets.py", "id_generator.py"),
    *(".venv/lib/python3.11/site-packages/pip/_vendor/certifi/cacert.pem", "web/node_modules/x/test/server.key"),
    *("proc/main.c", "environ", "src/environ.py", "maps/level.json", "identity.pem.md", "grid_rsa.py", ""),
]


@pytest.mark.parametrize("path", SECRET)
def test_a_path_that_holds_secrets_is_named_with_the_reason(path: str) -> None:
    assert ": " in secret_path(path)


@pytest.mark.parametrize("path", PLAIN)
def test_an_ordinary_path_is_not_secret(path: str) -> None:
    assert secret_path(path) == ""


def test_the_state_of_the_runtime_is_said_to_be_its_own() -> None:
    assert secret_path("work/.mayfly/ledger.db") == "it belongs to the runtime: .mayfly"
    assert secret_path("node_modules/x/.mayfly/key") == "it belongs to the runtime: .mayfly"


@given(st.sampled_from(SECRET), st.randoms())
def test_letters_slashes_and_blanks_make_no_difference(path: str, random: object) -> None:
    choose = random.random  # type: ignore[attr-defined]
    mixed = "".join(char.upper() if choose() < 0.5 else char for char in path)
    assert secret_path(mixed)
    assert secret_path(mixed.replace("/", "\\"))
    assert secret_path(f"{mixed}. ")


@given(st.sampled_from(SECRET), st.lists(st.sampled_from(["src", "a b", "ü", "x.y"]), max_size=4))
def test_a_secret_stays_one_in_any_directory(path: str, directories: list[str]) -> None:
    assert secret_path("/".join([*directories, path.lstrip("/")]))


@given(st.text(max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    assert isinstance(secret_path(text), str)
