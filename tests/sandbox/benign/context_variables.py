"""contextvars across copies and tasks."""

import asyncio
import contextvars

ARGUMENT = ["a", "b", "c"]
current = contextvars.ContextVar("current", default="none")


async def handle(name):
    current.set(name)
    await asyncio.sleep(0)
    return current.get()


async def run(names):
    return await asyncio.gather(*(handle(name) for name in names))


def main(argument):
    token = current.set("outer")
    copied = contextvars.copy_context()
    inner = copied.run(lambda: (current.set("inner"), current.get())[1])
    handled = asyncio.run(run(argument))
    after = current.get()
    current.reset(token)
    return {"inner": inner, "handled": handled, "after": after, "reset": current.get()}
