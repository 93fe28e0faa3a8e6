"""Questions about data: which queries a question can mean for a table, and the notation in which they are shown."""

from mayfly.language.question._notation import parse_reading
from mayfly.language.question._pieces import Unreadable
from mayfly.language.question._query import (
    TIME_PARTS,
    And,
    Arithmetic,
    Column,
    Compare,
    Condition,
    Constant,
    Expression,
    Function,
    Join,
    JoinKind,
    Measure,
    Missing,
    Named,
    Not,
    Operator,
    Or,
    Order,
    Part,
    PartOf,
    Pick,
    Query,
    Recent,
    Repeated,
    Scalar,
    columns_of,
    walk,
)
from mayfly.language.question._read import Reading, read_question, rivals_of
from mayfly.language.question._tell import tell
from mayfly.language.question._vocabulary import (
    ColumnInfo,
    ColumnKind,
    Vocabulary,
    name_words,
    nouns_of,
    role_of_name,
)
from mayfly.language.question._words import is_turning, join_words, level_values

__all__ = [
    "TIME_PARTS", "And", "Arithmetic", "Column", "ColumnInfo", "ColumnKind", "Compare", "Condition", "Constant",
    "Expression", "Function", "Join", "JoinKind", "Measure", "Missing", "Named", "Not", "Operator", "Or", "Order",
    "Part", "PartOf", "Pick", "Query", "Reading", "Recent", "Repeated", "Scalar", "Unreadable", "Vocabulary",
    "columns_of", "is_turning", "join_words", "level_values", "name_words", "nouns_of", "parse_reading",
    "read_question", "rivals_of", "role_of_name", "tell", "walk",
]  # fmt: skip
