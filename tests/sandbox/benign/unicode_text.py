"""unicodedata, normal forms, graphemes and case."""

import unicodedata

ARGUMENT = ["Ångström", "ﬁn", "İstanbul", "Ⅻ", "e\u0301", "👩‍💻"]


def slug(text):
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join("".join(c if c.isalnum() else " " for c in plain.lower()).split())


def main(argument):
    return {
        "slugs": [slug(text) for text in argument],
        "lengths": [len(text) for text in argument],
        "names": [unicodedata.name(text[0]) for text in argument],
        "composed": unicodedata.normalize("NFC", "e\u0301") == "é",
        "categories": [unicodedata.category(c) for c in "a1 \n€"],
        "numeric": unicodedata.numeric("Ⅻ"),
        "upper": "straße".upper(),
        "reversed": "añb"[::-1],
    }
