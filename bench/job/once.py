"""Run one job from standard input and write its answer: what a subprocess for each job does."""

import json
import sys

job = json.load(sys.stdin)
namespace: dict[str, object] = {}
exec(compile(job["source"], "<job>", "exec"), namespace)
json.dump(namespace[job["entry"]](job["argument"]), sys.stdout)  # type: ignore[operator]
