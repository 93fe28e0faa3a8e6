"""Write replies of our own to every open descriptor and leave.

origin: in-band control, CWE-74
why: bytes that look like a result must not become one
control: succeeds
harm: dies
expect: died error
"""

import struct


def attack(target):
    reply = b'{"status": "ok", "value": {"escaped": true, "evidence": "forged"}}'
    frames = [reply + b"\n", struct.pack(">I", len(reply)) + reply, struct.pack("<I", len(reply)) + reply]
    frames += [struct.pack("=16scIII", bytes(16), b"O", len(reply), 0, 0) + reply]
    for number in range(1, 64):
        for frame in frames:
            try:
                os.write(number, frame)
            except OSError:
                break
    os._exit(0)
