"""Call home: to an address, and to a service on the same machine."""

import socket


def call(addresses: list[tuple[str, int]]) -> dict[str, object]:
    """Try to send a line out; return where it arrived and what each try came to."""
    found: list[str] = []
    stopped = ""
    for host, port in addresses:
        try:
            with socket.create_connection((host, port), timeout=0.2) as connection:
                connection.sendall(b"stolen\n")
            found.append(f"{host}:{port}")
        except OSError as error:
            stopped = error.strerror or str(error)
    return {"found": found, "stopped": stopped.lower()}
