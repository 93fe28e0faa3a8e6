"""Operations: each verb once, for the shell, the pages, the HTTP API and MCP: arguments in, plain data out.

What a face gets has `to_json`; faces parse what is asked and draw what comes back, and errors pass as they are raised.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.operations._inbox import INBOX_EVENTS as INBOX_EVENTS
    from mayfly.operations._inbox import VERDICTS as VERDICTS
    from mayfly.operations._inbox import ApprovalWord as ApprovalWord
    from mayfly.operations._inbox import InboxView as InboxView
    from mayfly.operations._inbox import SettledBefore as SettledBefore
    from mayfly.operations._inbox import answer_call as answer_call
    from mayfly.operations._inbox import approval_fields as approval_fields
    from mayfly.operations._inbox import call_fields as call_fields
    from mayfly.operations._inbox import find_approval as find_approval
    from mayfly.operations._inbox import inbox as inbox
    from mayfly.operations._inbox import look_at_approval as look_at_approval
    from mayfly.operations._inbox import open_call as open_call
    from mayfly.operations._inbox import settle_approval as settle_approval
    from mayfly.operations._inbox import waiting_of as waiting_of
    from mayfly.operations._market import ProfitAndLoss as ProfitAndLoss
    from mayfly.operations._market import ProfitRow as ProfitRow
    from mayfly.operations._market import market_view as market_view
    from mayfly.operations._market import payments_to_look_at as payments_to_look_at
    from mayfly.operations._market import pnl as pnl
    from mayfly.operations._market import standings_data as standings_data
    from mayfly.operations._policy import RulesTried as RulesTried
    from mayfly.operations._policy import decisions as decisions
    from mayfly.operations._policy import permit_fields as permit_fields
    from mayfly.operations._policy import rules_in_force as rules_in_force
    from mayfly.operations._policy import try_rules as try_rules
    from mayfly.operations._runs import RUN_ENDS as RUN_ENDS
    from mayfly.operations._runs import STATUSES as STATUSES
    from mayfly.operations._runs import PagePlace as PagePlace
    from mayfly.operations._runs import PromiseFilter as PromiseFilter
    from mayfly.operations._runs import RunLine as RunLine
    from mayfly.operations._runs import RunPage as RunPage
    from mayfly.operations._runs import ground_reason as ground_reason
    from mayfly.operations._runs import is_ground as is_ground
    from mayfly.operations._runs import no_run as no_run
    from mayfly.operations._runs import places as places
    from mayfly.operations._runs import promise_page as promise_page
    from mayfly.operations._runs import reason_of as reason_of
    from mayfly.operations._runs import run_number as run_number
    from mayfly.operations._runs import runs as runs
    from mayfly.operations._runs import search_runs as search_runs
    from mayfly.operations._story import TestedSource as TestedSource
    from mayfly.operations._story import event_fields as event_fields
    from mayfly.operations._story import event_words as event_words
    from mayfly.operations._story import tell as tell
    from mayfly.operations._story import tested_sources as tested_sources
    from mayfly.operations._system import DoctorView as DoctorView
    from mayfly.operations._system import RunMetrics as RunMetrics
    from mayfly.operations._system import admission_fields as admission_fields
    from mayfly.operations._system import check_source as check_source
    from mayfly.operations._system import commit_fields as commit_fields
    from mayfly.operations._system import doctor as doctor
    from mayfly.operations._system import metrics as metrics
    from mayfly.operations._system import settings_rows as settings_rows
    from mayfly.operations._tools import VerifiedTool as VerifiedTool
    from mayfly.operations._tools import list_tools as list_tools
    from mayfly.operations._tools import tool_history as tool_history
    from mayfly.operations._tools import tool_view as tool_view
    from mayfly.operations._tools import verify_tool as verify_tool
    from mayfly.operations._trace import PromiseStory as PromiseStory
    from mayfly.operations._trace import Trace as Trace
    from mayfly.operations._trace import has_tree as has_tree
    from mayfly.operations._trace import run_view as run_view
    from mayfly.operations._trace import trace as trace
    from mayfly.operations._why import DecisionReasons as DecisionReasons
    from mayfly.operations._why import GoalReasons as GoalReasons
    from mayfly.operations._why import Reasons as Reasons
    from mayfly.operations._why import chain_of as chain_of
    from mayfly.operations._why import why as why
    from mayfly.operations._words import account_words as account_words
    from mayfly.operations._words import how_long as how_long
    from mayfly.operations._words import outcome_data as outcome_data
    from mayfly.operations._words import outcome_fields as outcome_fields
    from mayfly.operations._words import pick_fields as pick_fields
    from mayfly.operations._words import proof_fields as proof_fields
    from mayfly.operations._words import verdict_fields as verdict_fields

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
