"""An agent with an ordinary invoke."""

ENTRY = "JITParser"
ARGUMENT = "key=value; other = thing ;flag"


class JITParser:
    separator = ";"

    def invoke(self, text: str) -> dict[str, str | bool]:
        pairs = (part.strip() for part in text.split(self.separator))
        return {key.strip(): value.strip() if mark else True for key, mark, value in (p.partition("=") for p in pairs)}
