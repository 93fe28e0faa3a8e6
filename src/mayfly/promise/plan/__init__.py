"""Plans: an intent becomes a whole tree of promises, by rules or by a model, before anything runs."""

from mayfly.promise.plan._draft import Rung, plan_json, rung, served_by
from mayfly.promise.plan._planner import Desk, Planner

__all__ = ["Desk", "Planner", "Rung", "plan_json", "rung", "served_by"]
