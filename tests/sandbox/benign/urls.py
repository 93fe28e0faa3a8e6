"""urllib.parse and html."""

import html
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit, urlunsplit

ARGUMENT = "https://user@example.org:8080/a/b.html?q=caf%C3%A9&tag=x&tag=y#top"


def main(argument):
    parts = urlsplit(argument)
    return {
        "host": [parts.hostname, parts.port, parts.username],
        "query": parse_qs(parts.query),
        "joined": urljoin(argument, "../c?d=1"),
        "encoded": urlencode({"a b": "c&d", "e": [1, 2]}, doseq=True),
        "quoted": quote("a b/ü?"),
        "clean": urlunsplit(parts._replace(fragment="", netloc="example.org")),
        "escaped": html.escape('<a href="x">&</a>'),
        "unescaped": html.unescape("&lt;&eacute;&#x1F98B;&gt;"),
    }
