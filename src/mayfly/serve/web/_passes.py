"""Passes: a link that lets a browser in once, the cookie it gets for that, and the token in each form of a page.

All are signed with the key of the server, so that its processes need not tell each other what they handed out.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import Refusal, Verdict

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request

# What a browser that was let in shows, and what forms are bound to. Both end with the browser's session.
SESSION, BROWSER = "mayfly_session", "mayfly_browser"
# The name of the field in a form.
FIELD = "form_token"
# Seconds in which a link can be opened: the time to copy it from a terminal. A working day for the cookie.
_LINK, _SESSION = 600, 12 * 3600


@dataclass(frozen=True, kw_only=True)
class WebOptions:
    """Where to listen, and who is let in.

    *key* signs cookies and forms, *spent* is a directory in which links that were used are marked: all processes of a
    server have the same.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    spent: Path | None = None


class Passes:
    """Hand out and check what browsers carry."""

    def __init__(self, options: WebOptions) -> None:
        # With the token in it, another token ends every session.
        self._key = hmac.new(options.key, options.token.encode(), hashlib.sha256).digest()
        self._spent = options.spent

    def make_link(self) -> str:
        """Return what lets one browser in, once."""
        return self._signed("link", _LINK)

    def make_session(self) -> str:
        """Return what a browser shows that was let in."""
        return self._signed("session", _SESSION)

    def is_session(self, given: str) -> bool:
        """Whether a cookie was handed out here and is still good."""
        return self._is_signed("session", given)

    def use_link(self, given: str) -> bool:
        """Whether a link is good; from now on it is not, in whatever process."""
        if not self._is_signed("link", given) or self._spent is None:
            return False
        mark = Path(self._spent) / hashlib.sha256(given.encode()).hexdigest()
        try:
            mark.touch(mode=0o600, exist_ok=False)
        except OSError:
            return False
        return True

    def form_token(self, browser: str) -> str:
        """Return what a form has to bring that this browser was given."""
        return self._sign("form", browser)

    def is_form(self, browser: str, given: str) -> bool:
        """Whether a form was given to this browser."""
        return bool(browser) and hmac.compare_digest(
            self.form_token(browser).encode(), given.encode("utf-8", "replace")
        )

    def _signed(self, kind: str, seconds: int) -> str:
        said = f"{int(time.time()) + seconds}.{secrets.token_urlsafe(12)}"
        return f"{said}.{self._sign(kind, said)}"

    def _is_signed(self, kind: str, given: str) -> bool:
        said, _, sign = given.rpartition(".")
        until = said.partition(".")[0]
        if not hmac.compare_digest(self._sign(kind, said).encode(), sign.encode("utf-8", "replace")):
            return False
        return until.isdecimal() and time.time() < int(until)

    def _sign(self, kind: str, said: str) -> str:
        return hmac.new(self._key, f"{kind}|{said}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def cookies_of(header: str) -> dict[str, str]:
    """Return the cookies of a request by name; one that cannot be read is none."""
    try:
        return {name: one.value for name, one in SimpleCookie(header).items()}
    except CookieError:
        return {}


def set_cookie(name: str, value: str) -> bytes:
    """Return a header that gives a browser a cookie which no script and no other site can use."""
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Strict".encode("ascii")


def form_token(request: Request) -> str:
    """Return the token for a form on the page that answers *request*: `<input type="hidden" name="form_token" …>`."""
    passes: Passes = request.app.state.served.passes
    return passes.form_token(request.state.browser)


async def checked_form(request: Request) -> FormData:
    """Return the fields of a form that a page of ours gave to this browser; refuse any other."""
    passes: Passes = request.app.state.served.passes
    form = await request.form()
    given = form.get(FIELD, "")
    if not (isinstance(given, str) and passes.is_form(request.state.browser, given)):
        raise Refusal(
            Verdict(
                decision="reject",
                gate="web",
                code="FORM",
                message="this form was not given to this browser, or the server was started again since",
                fix="load the page again and send the form from there",
            )
        )
    return form
