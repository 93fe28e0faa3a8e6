"""Start as many threads with tiny stacks as the machine gives.

origin: the fork bomb's younger brother
why: each thread is a task for the scheduler
control: succeeds
timeout: 5
"""

import threading


def attack(target):
    gate = threading.Event()
    take_smallest_stack()
    started = 0
    try:
        for _ in range(200):
            threading.Thread(target=gate.wait, daemon=True).start()
            started += 1
    except (RuntimeError, MemoryError) as error:
        evidence = blocked("thread", error)
        evidence["evidence"] += f" after {started} threads"
        gate.set()
        return evidence if started <= 64 else escaped(f"{started} threads are running")
    gate.set()
    return escaped(f"{started} threads are running")


def take_smallest_stack():
    # 32 KiB is CPython's own minimum; the C library's is 16 KiB on x86_64 and 128 KiB on aarch64.
    for kibibytes in (32, 64, 128, 256, 512):
        try:
            threading.stack_size(kibibytes * 1024)
            return
        except ValueError:
            continue
