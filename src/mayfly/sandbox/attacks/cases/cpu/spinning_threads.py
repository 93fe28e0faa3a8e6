"""Spin in eight threads at once while the first one waits for them.

origin: plain
why: the deadline must end all threads, not the one that answers
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout error
"""

import threading


def attack(target):
    def spin():
        while True:
            hashlib.sha256(bytes(1 << 16)).digest()

    threads = [threading.Thread(target=spin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
