"""asyncio.run with gather, a queue, timeouts and to_thread."""

import asyncio

ARGUMENT = [3, 1, 2]


async def square(number):
    await asyncio.sleep(0.001 * number)
    return number * number


async def worker(queue, results):
    while True:
        item = await queue.get()
        results.append(item * 10)
        queue.task_done()


async def run(numbers):
    squares = await asyncio.gather(*(square(number) for number in numbers))
    queue, results = asyncio.Queue(), []
    workers = [asyncio.create_task(worker(queue, results)) for _ in range(2)]
    for number in numbers:
        queue.put_nowait(number)
    await queue.join()
    for task in workers:
        task.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(10)
    except TimeoutError:
        timed_out = True
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        waited = "too long"
    threaded = await asyncio.to_thread(sum, numbers)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(square(n)) for n in (5, 6)]
    return {
        "squares": squares,
        "results": sorted(results),
        "timed_out": timed_out,
        "waited": waited,
        "threaded": threaded,
        "group": [task.result() for task in tasks],
    }


def main(argument):
    return asyncio.run(run(argument))
