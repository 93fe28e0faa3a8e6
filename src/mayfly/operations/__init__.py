"""Operations: each verb once, for the shell, the pages, the HTTP API and MCP: arguments in, plain data out.

What a face gets has `to_json`; faces parse what is asked and draw what comes back, and errors pass as they are raised.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.operations._inbox import (
        INBOX_EVENTS,
        VERDICTS,
        ApprovalWord,
        InboxView,
        SettledBefore,
        answer_call,
        approval_fields,
        call_fields,
        find_approval,
        inbox,
        look_at_approval,
        open_call,
        settle_approval,
        waiting_of,
    )
    from mayfly.operations._market import (
        ProfitAndLoss,
        ProfitRow,
        market_view,
        payments_to_look_at,
        pnl,
        standings_data,
    )
    from mayfly.operations._policy import RulesTried, decisions, permit_fields, rules_in_force, try_rules
    from mayfly.operations._runs import (
        RUN_ENDS,
        STATUSES,
        Place,
        PromiseFilter,
        RunLine,
        RunPage,
        ground_reason,
        is_ground,
        no_run,
        places,
        promise_page,
        reason_of,
        run_number,
        runs,
        search_runs,
    )
    from mayfly.operations._story import TestedSource, event_fields, event_words, tell, tested_sources
    from mayfly.operations._system import (
        DoctorView,
        Metrics,
        admission_fields,
        check_source,
        commit_fields,
        doctor,
        metrics,
        settings_rows,
    )
    from mayfly.operations._tools import (
        ToolVerified,
        list_tools,
        tool_history,
        tool_view,
        verify_tool,
    )
    from mayfly.operations._trace import PromiseStory, Trace, has_tree, run_view, trace
    from mayfly.operations._why import (
        DecisionReasons,
        GoalReasons,
        Reasons,
        chain_of,
        why,
    )
    from mayfly.operations._words import (
        account_words,
        how_long,
        outcome_data,
        outcome_fields,
        pick_fields,
        proof_fields,
        verdict_fields,
    )

__all__ = [
    "INBOX_EVENTS",
    "RUN_ENDS",
    "STATUSES",
    "VERDICTS",
    "ApprovalWord",
    "DecisionReasons",
    "DoctorView",
    "GoalReasons",
    "InboxView",
    "Metrics",
    "Place",
    "ProfitAndLoss",
    "ProfitRow",
    "PromiseFilter",
    "PromiseStory",
    "Reasons",
    "RulesTried",
    "RunLine",
    "RunPage",
    "SettledBefore",
    "TestedSource",
    "ToolVerified",
    "Trace",
    "account_words",
    "admission_fields",
    "answer_call",
    "approval_fields",
    "call_fields",
    "chain_of",
    "check_source",
    "commit_fields",
    "decisions",
    "doctor",
    "event_fields",
    "event_words",
    "find_approval",
    "ground_reason",
    "has_tree",
    "how_long",
    "inbox",
    "is_ground",
    "list_tools",
    "look_at_approval",
    "market_view",
    "metrics",
    "no_run",
    "open_call",
    "outcome_data",
    "outcome_fields",
    "payments_to_look_at",
    "permit_fields",
    "pick_fields",
    "places",
    "pnl",
    "promise_page",
    "proof_fields",
    "reason_of",
    "rules_in_force",
    "run_number",
    "run_view",
    "runs",
    "search_runs",
    "settings_rows",
    "settle_approval",
    "standings_data",
    "tell",
    "tested_sources",
    "tool_history",
    "tool_view",
    "trace",
    "try_rules",
    "verdict_fields",
    "verify_tool",
    "waiting_of",
    "why",
]

__getattr__ = lazily(
    __name__,
    {
        "_inbox": (
            "INBOX_EVENTS VERDICTS ApprovalWord InboxView SettledBefore answer_call approval_fields "
            "call_fields find_approval inbox look_at_approval open_call settle_approval waiting_of"
        ),
        "_market": "ProfitAndLoss ProfitRow market_view payments_to_look_at pnl standings_data",
        "_policy": "RulesTried decisions permit_fields rules_in_force try_rules",
        "_runs": (
            "Place PromiseFilter RUN_ENDS RunLine RunPage STATUSES ground_reason "
            "is_ground no_run places promise_page reason_of run_number runs search_runs"
        ),
        "_story": "TestedSource event_fields event_words tell tested_sources",
        "_system": ("DoctorView Metrics admission_fields check_source commit_fields doctor metrics settings_rows"),
        "_tools": "ToolVerified list_tools tool_history tool_view verify_tool",
        "_trace": "PromiseStory Trace has_tree run_view trace",
        "_why": "DecisionReasons GoalReasons Reasons chain_of why",
        "_words": "account_words how_long outcome_data outcome_fields pick_fields proof_fields verdict_fields",
    },
)
