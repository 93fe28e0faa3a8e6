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

from mayfly._lazy import lazily, public_names
from mayfly.mangle.builtins._limits import DEEPEST as DEEPEST
from mayfly.mangle.builtins._limits import LARGEST_TEXT as LARGEST_TEXT
from mayfly.mangle.builtins._limits import MOST_PARTS as MOST_PARTS
from mayfly.mangle.builtins._limits import BuiltinError as BuiltinError
from mayfly.mangle.builtins._limits import weight as weight

if TYPE_CHECKING:
    from mayfly.mangle.builtins._entries import Function as Function
    from mayfly.mangle.builtins._entries import Predicate as Predicate
    from mayfly.mangle.builtins._entries import Reducer as Reducer
    from mayfly.mangle.builtins._entries import TypeExpression as TypeExpression
    from mayfly.mangle.builtins._entries import count_arguments as count_arguments
    from mayfly.mangle.builtins._tables import FUNCTIONS as FUNCTIONS
    from mayfly.mangle.builtins._tables import PREDICATES as PREDICATES
    from mayfly.mangle.builtins._tables import REDUCERS as REDUCERS

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
