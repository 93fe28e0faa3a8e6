"""What runs on the far side: standard library only, started fresh; the host takes nothing from it but constants."""

__all__: list[str] = []
