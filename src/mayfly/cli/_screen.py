"""Lines in colour on a terminal, and the same lines plain anywhere else."""

from rich.console import Console
from rich.text import Text

from mayfly.cli._output import command

_STYLES = {"": "", "dim": "dim", "good": "green", "bad": "bold red", "title": "bold"}


class Screen:
    """Print the answer of a command that narrates; each piece is a text with the name of its style."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)

    def line(self, *pieces: tuple[str, str], end: str = "\n") -> None:
        """Print one line, however long; `end=""` leaves it open for what follows."""
        text = Text.assemble(*((piece, _STYLES[style]) for piece, style in pieces))
        self._console.print(text, end=end, soft_wrap=True)
        self._console.file.flush()

    def title(self, text: str) -> None:
        """Print a heading with a blank line above it."""
        self.line()
        self.line((text, "title"))

    def commands(self, commands: list[tuple[str, str]]) -> None:
        """Print what to type next, as this command was called."""
        self.title("next")
        width = max(len(typed) for typed, _ in commands)
        for typed, meaning in commands:
            self.line((f"  {command()} {typed.ljust(width)}  ", ""), (meaning, "dim"))
