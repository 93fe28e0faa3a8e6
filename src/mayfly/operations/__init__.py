"""Views: runs, traces, reasons, trees and figures as data out of the ledger; whoever shows them only draws."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.operations._market import MarketView, market_view, payments_to_look_at
    from mayfly.operations._metrics import Metrics, PromiseMetrics, metrics
    from mayfly.operations._outcome import outcome_fields, proof_fields, verdict_fields
    from mayfly.operations._plots import Bar, bar_plot, line_plot
    from mayfly.operations._pnl import ProfitAndLoss, ProfitRow, pnl
    from mayfly.operations._promise_story import PromiseStory
    from mayfly.operations._runs import STATUSES, RunLine, run_line, runs
    from mayfly.operations._sources import TestedSource, tested_sources
    from mayfly.operations._tell import tell
    from mayfly.operations._trace import Trace, event_fields, event_words, has_tree
    from mayfly.operations._tree import Place, ground_reason, is_ground, places
    from mayfly.operations._watched import Moving, Watched
    from mayfly.operations._why import Reasons, chain_of, effect_of, reason_of
    from mayfly.operations._words import account_words, how_long, status_words

__all__ = [
    "STATUSES",
    "Bar",
    "MarketView",
    "Metrics",
    "Moving",
    "Place",
    "ProfitAndLoss",
    "ProfitRow",
    "PromiseMetrics",
    "PromiseStory",
    "Reasons",
    "RunLine",
    "TestedSource",
    "Trace",
    "Watched",
    "account_words",
    "bar_plot",
    "chain_of",
    "effect_of",
    "event_fields",
    "event_words",
    "ground_reason",
    "has_tree",
    "how_long",
    "is_ground",
    "line_plot",
    "market_view",
    "metrics",
    "outcome_fields",
    "payments_to_look_at",
    "places",
    "pnl",
    "proof_fields",
    "reason_of",
    "run_line",
    "runs",
    "status_words",
    "tell",
    "tested_sources",
    "verdict_fields",
]

__getattr__ = lazily(
    __name__,
    {
        "_market": "MarketView market_view payments_to_look_at",
        "_metrics": "Metrics PromiseMetrics metrics",
        "_outcome": "outcome_fields proof_fields verdict_fields",
        "_plots": "Bar bar_plot line_plot",
        "_pnl": "ProfitAndLoss ProfitRow pnl",
        "_promise_story": "PromiseStory",
        "_runs": "RunLine STATUSES run_line runs",
        "_sources": "TestedSource tested_sources",
        "_tell": "tell",
        "_trace": "Trace event_fields event_words has_tree",
        "_tree": "Place ground_reason is_ground places",
        "_watched": "Moving Watched",
        "_why": "Reasons chain_of effect_of reason_of",
        "_words": "account_words how_long status_words",
    },
)
