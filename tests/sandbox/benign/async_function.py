"""An entry that is a coroutine function, with an async generator and an async context manager."""

import asyncio
from contextlib import asynccontextmanager

ARGUMENT = 5


async def ticks(count):
    for number in range(count):
        await asyncio.sleep(0)
        yield number


@asynccontextmanager
async def resource(log):
    log.append("open")
    try:
        yield
    finally:
        log.append("close")


async def main(argument):
    log = []
    async with resource(log):
        seen = [number async for number in ticks(argument)]
    semaphore = asyncio.Semaphore(2)
    event = asyncio.Event()

    async def wait():
        async with semaphore:
            await event.wait()
            return "woken"

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    event.set()
    return {"seen": seen, "log": log, "task": await task}
