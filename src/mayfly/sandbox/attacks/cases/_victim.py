"""A process for the cases to harm: it holds the secret, and reports every signal that reaches it on its output."""

import ctypes
import os
import signal
import sys

secret = ctypes.create_string_buffer(os.environ["MAYFLY_STAGE_SECRET"].encode())
for number in (signal.SIGURG, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGIO, signal.SIGHUP):
    signal.signal(number, lambda received, frame: os.write(1, bytes([received])))
print(ctypes.addressof(secret), flush=True)
# The host holds the other end of our input: its end is ours.
sys.stdin.read()
