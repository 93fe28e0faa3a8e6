"""Never come back, and ignore every polite request to stop."""

import signal


def loop(_: object) -> None:
    """Spin with all signals ignored that can be."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGXCPU):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
