"""Be a coroutine that refuses to be cancelled.

origin: asyncio.timeout asks; it does not stop
why: an await is not a limit
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""

import asyncio


async def attack(target):
    while True:
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            continue
