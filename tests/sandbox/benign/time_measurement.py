"""Clocks that only have to move forward, and sleep."""

import time
from datetime import datetime

ARGUMENT = 0.002


def main(argument):
    started, counter, cpu = time.monotonic(), time.perf_counter_ns(), time.process_time()
    time.sleep(argument)
    return {
        "slept": time.monotonic() - started >= argument,
        "counted": time.perf_counter_ns() > counter,
        "cpu": time.process_time() >= cpu,
        "year": datetime.now().year >= 2024,
        "epoch": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(0)),
        "parsed": time.strptime("12:30", "%H:%M").tm_hour,
    }
