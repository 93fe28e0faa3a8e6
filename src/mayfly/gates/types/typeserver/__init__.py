"""What runs on the far side: a process with mypy and the standard library's types loaded, forked for each check."""

__all__: list[str] = []
