"""asyncio with producers, consumers, locks, a cancelled task and as_completed."""

import asyncio

ARGUMENT = 6


async def produce(queue, count):
    for number in range(count):
        await queue.put(number)
        await asyncio.sleep(0)
    await queue.put(None)


async def consume(queue):
    taken = []
    while (item := await queue.get()) is not None:
        taken.append(item)
    return taken


async def run(count):
    queue = asyncio.Queue(maxsize=2)
    _, taken = await asyncio.gather(produce(queue, count), consume(queue))
    lock, total = asyncio.Lock(), 0

    async def add(value):
        nonlocal total
        async with lock:
            before = total
            await asyncio.sleep(0)
            total = before + value

    await asyncio.gather(*map(add, range(count)))
    sleeper = asyncio.create_task(asyncio.sleep(60))
    await asyncio.sleep(0)
    sleeper.cancel()
    try:
        await sleeper
    except asyncio.CancelledError:
        cancelled = True
    finished = sorted([await task for task in asyncio.as_completed([asyncio.sleep(0.001 * n, n) for n in range(3)])])
    results = await asyncio.gather(asyncio.sleep(0, 1), asyncio.to_thread(int, "x"), return_exceptions=True)
    return {"taken": taken, "total": total, "cancelled": cancelled, "finished": finished, "errors": [str(r) for r in results]}


def main(argument):
    return asyncio.run(run(argument))
