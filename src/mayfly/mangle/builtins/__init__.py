"""The functions, reducers and predicates that Mangle programs can use without defining them.

`FUNCTIONS`, `REDUCERS` and `PREDICATES` are the tables; each entry has a one-line `doc`. Evaluating an entry gives a
value or raises `BuiltinError`, nothing else; what a function builds stays within `LARGEST_TEXT`, `MOST_PARTS` and
`DEEPEST`.

Functions
    numbers     fn:plus fn:minus fn:mult fn:div fn:mod fn:sqrt fn:float:plus fn:float:mult fn:float:div
    strings     fn:string:concat fn:string:replace fn:number:to_string fn:float64:to_string
    names       fn:name:to_string fn:name:root fn:name:tip fn:name:list
    lists       fn:list fn:list:append fn:list:cons fn:list:len fn:list:get fn:list:contains
    records     fn:pair fn:tuple fn:map fn:map:get fn:struct fn:struct:get
    times       fn:time:now fn:time:add fn:time:sub fn:time:format fn:time:format_civil fn:time:parse_rfc3339
                fn:time:parse_civil fn:time:year fn:time:month fn:time:day fn:time:hour fn:time:minute fn:time:second
                fn:time:from_unix_nanos fn:time:to_unix_nanos fn:time:trunc fn:time:trunc_civil
    durations   fn:duration:add fn:duration:mult fn:duration:hours fn:duration:minutes fn:duration:seconds
                fn:duration:nanos fn:duration:from_nanos fn:duration:from_hours fn:duration:from_minutes
                fn:duration:from_seconds fn:duration:parse
    intervals   fn:interval:start fn:interval:end fn:interval:duration
    of a list   fn:max fn:min fn:sum, and the same with float:, duration: and time: (a time has no sum)
Reducers
    rows        fn:count fn:avg fn:collect fn:collect_distinct fn:collect_to_map fn:pick_any
    a column    fn:max fn:min fn:sum, and the same with float:, duration: and time: (a time has no sum)
Predicates
    comparing   :lt :le :gt :ge, and the same with time: and duration:  :within_distance :filter
    texts       :match_prefix :string:starts_with :string:ends_with :string:contains
    matching    :match_pair :match_cons :match_nil :match_entry :match_field :list:member
    intervals   :interval:before :interval:after :interval:meets :interval:overlaps :interval:during
                :interval:contains :interval:starts :interval:finishes :interval:equals
Known by name only: fn:some passes the checks of a program, and evaluating it is an error.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily
from mayfly.mangle.builtins._limits import DEEPEST, LARGEST_TEXT, MOST_PARTS, BuiltinError, weight

if TYPE_CHECKING:
    from mayfly.mangle.builtins._entries import Function, Predicate, Reducer, TypeExpression, count_arguments
    from mayfly.mangle.builtins._tables import FUNCTIONS, PREDICATES, REDUCERS

__all__ = [
    "DEEPEST",
    "FUNCTIONS",
    "LARGEST_TEXT",
    "MOST_PARTS",
    "PREDICATES",
    "REDUCERS",
    "BuiltinError",
    "Function",
    "Predicate",
    "Reducer",
    "TypeExpression",
    "count_arguments",
    "weight",
]

__getattr__ = lazily(
    __name__,
    {
        "_entries": "Function Predicate Reducer TypeExpression count_arguments",
        "_tables": "FUNCTIONS PREDICATES REDUCERS",
    },
)
