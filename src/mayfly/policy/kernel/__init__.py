"""Rules in force, and every decision they make before an effect happens; `mayfly.policy` is the face of it."""

__all__: list[str] = []
