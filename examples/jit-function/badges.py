"""A script with a function that nobody has written: Mayfly does, from its signature, docstring and doctests."""

import mayfly


@mayfly.jit(ground="?")
def initials(name: str) -> str:
    """Return the initials of a name.

    >>> initials("Ada Lovelace")
    'AL'
    >>> initials("Grace Brewster Hopper")
    'GBH'
    >>> initials("Alan Turing")
    'AT'
    >>> initials("Linus Benedict Torvalds")
    'LBT'
    """


if __name__ == "__main__":
    for guest in ("Marie Curie", "Katherine Coleman Johnson", "Tim Lee"):
        outcome = initials.outcome(guest)
        print(f"{guest}: {outcome.value} ({outcome.status})")
