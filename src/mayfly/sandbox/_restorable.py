"""Which jobs are worth a worker that is put back: not those that ended one, nor any where too many do."""

from __future__ import annotations

# Sources that are remembered, by their hash; with more of them than that, it is learned anew.
_MOST_REMEMBERED = 4096
# To make such a worker takes as long as some forty jobs: so many have to be served by them for each that is lost. Where
# they are not, jobs are given ordinary workers until as many have been.
_PRICE = 40
_MOST_CREDIT = 400


class Restorable:
    """Remember what ended workers, and how many jobs they were good for."""

    def __init__(self) -> None:
        self._doing: set[int] = set()
        self._credit = _MOST_CREDIT

    def is_worth_it(self, source: int) -> bool:
        """Whether a job with this source is to begin in such a worker; to be asked once for each job.

        Threads may count the same job twice or not at all: it is no more than a guess.
        """
        self._credit = min(self._credit + 1, _MOST_CREDIT)
        return self._credit > 0 and source not in self._doing

    def lost(self, source: int) -> None:
        """Note that a worker had to end for a job with this source."""
        if len(self._doing) >= _MOST_REMEMBERED:
            self._doing.clear()
        self._doing.add(source)
        self._credit = max(self._credit - _PRICE, -_MOST_CREDIT)
