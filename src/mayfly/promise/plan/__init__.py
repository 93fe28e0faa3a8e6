"""Plans: an intent becomes a whole tree of promises, by rules or by a model, before anything runs."""

from mayfly.promise.plan._draft import Rung, plan_json, rung, served_by
from mayfly.promise.plan._planner import PlanDesk, Planner

__all__ = ["PlanDesk", "Planner", "Rung", "plan_json", "rung", "served_by"]
