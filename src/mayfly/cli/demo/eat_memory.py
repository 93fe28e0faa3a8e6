"""Ask for more memory than a job may have, and touch every page of it."""


def eat(megabytes: int) -> int:
    """Fill *megabytes* one by one; return how many there were."""
    eaten = [bytearray(b"x" * 1024 * 1024) for _ in range(megabytes)]
    return len(eaten)
