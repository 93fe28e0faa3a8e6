"""Fork for each job that comes over standard input, without any wall: the least a new process can cost."""

import json
import os
import struct
import sys

LENGTH = struct.Struct("=I")


def serve() -> None:
    """Read frames until the other end hangs up."""
    while header := os.read(0, LENGTH.size):
        size = LENGTH.unpack(header)[0]
        frame = b""
        while len(frame) < size:
            frame += os.read(0, size - len(frame))
        child = os.fork()
        if child == 0:
            run(frame)
            os._exit(0)
        os.waitpid(child, 0)


def run(frame: bytes) -> None:
    """Compile, call and answer."""
    job = json.loads(frame)
    namespace: dict[str, object] = {}
    exec(compile(job["source"], "<job>", "exec"), namespace)
    answer = json.dumps(namespace[job["entry"]](job["argument"])).encode()  # type: ignore[operator]
    os.write(1, LENGTH.pack(len(answer)) + answer)


if __name__ == "__main__":
    serve()
    sys.exit(0)
