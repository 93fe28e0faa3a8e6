"""Threads with a lock, a thread pool, an event and a queue."""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

ARGUMENT = [1, 2, 3, 4, 5, 6, 7, 8]


def main(argument):
    total = 0
    lock = threading.Lock()

    def add(value):
        nonlocal total
        for _ in range(100):
            with lock:
                total += value

    threads = [threading.Thread(target=add, args=(value,)) for value in argument]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ThreadPoolExecutor(max_workers=4) as pool:
        squares = list(pool.map(lambda n: n * n, argument))
        done = sorted(future.result() for future in as_completed([pool.submit(pow, n, 3) for n in argument]))
    channel = queue.Queue()
    producer = threading.Thread(target=lambda: [channel.put(n) for n in argument])
    producer.start()
    received = [channel.get(timeout=5) for _ in argument]
    producer.join()
    local = threading.local()
    local.value = 3
    return {"total": total, "squares": squares, "cubes": done, "received": received, "local": local.value}
