"""Reserve memory as the stacks of threads.

origin: pthread stacks are mappings that no allocator counts
why: eight threads of 128 MiB are a gigabyte
control: succeeds
"""

import threading
import time


def attack(target):
    threading.stack_size(128 << 20)
    started = []
    try:
        for _ in range(8):
            thread = threading.Thread(target=time.sleep, args=(0.2,), daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError) as error:
        return blocked("thread", error) if len(started) * 128 < 640 else escaped(f"{len(started)} stacks")
    return escaped(f"{len(started)} stacks of 128 MiB were reserved")
