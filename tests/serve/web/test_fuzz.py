"""Requests made from the OpenAPI description, a few for each operation; `make fuzz` sends more."""

from pathlib import Path

import pytest

from .conftest import web_server


def test_no_request_that_can_be_made_from_the_description_ends_in_an_error_of_the_server(library: Path) -> None:
    pytest.importorskip("schemathesis", reason="MAYFLY_SETUP=dev ./mayfly")
    from .fuzz import fuzz

    with web_server(library, MAYFLY_WEB_RATE="100000") as site:
        seen = fuzz(site.url, examples=5)
    assert sum(seen.values()) > 100
    assert seen["200"] > 10
