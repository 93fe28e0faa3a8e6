"""An agent: a class with an async invoke."""

import asyncio
from dataclasses import dataclass

ENTRY = "Agent"
ARGUMENT = {"text": "one two two three three three"}


@dataclass
class Count:
    word: str
    times: int


class Agent:
    """Count words."""

    def __init__(self):
        self.counts = {}

    async def invoke(self, input):
        for word in input["text"].split():
            await asyncio.sleep(0)
            self.counts[word] = self.counts.get(word, 0) + 1
        return [Count(word, times) for word, times in sorted(self.counts.items(), key=lambda pair: -pair[1])]
