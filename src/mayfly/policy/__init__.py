"""Rules decide who acts, with what, and whether each effect is permitted; every answer has a reason."""

__all__: list[str] = []
