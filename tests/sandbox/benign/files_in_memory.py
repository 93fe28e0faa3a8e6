"""io: text and bytes buffers, readers, a tee, redirected output."""

import contextlib
import io

ARGUMENT = "first\nsecond\r\nthird"


def main(argument):
    text = io.StringIO(argument, newline=None)
    raw = io.BytesIO(b"\x00\x01\x02\x03")
    raw.seek(2)
    wrapper = io.TextIOWrapper(io.BytesIO("zeile\n".encode("latin-1")), encoding="latin-1")
    captured = io.StringIO()
    with contextlib.redirect_stdout(captured):
        print("captured")
    print("not captured")
    return {
        "lines": text.readlines(),
        "rest": list(raw.read()),
        "position": raw.tell(),
        "wrapped": wrapper.read(),
        "captured": captured.getvalue(),
        "buffered": io.BufferedReader(io.BytesIO(b"abcdef")).peek(3)[:3].decode(),
    }
