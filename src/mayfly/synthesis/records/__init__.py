"""Records: programs for questions about logs, tables and objects, written without a model."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.synthesis.records._cells import is_continued as is_continued
    from mayfly.synthesis.records._detect import detect as detect
    from mayfly.synthesis.records._objects import records_in as records_in
    from mayfly.synthesis.records._proposal import Proposal as Proposal
    from mayfly.synthesis.records._proposal import rows_again as rows_again
    from mayfly.synthesis.records._propose import Unable as Unable
    from mayfly.synthesis.records._propose import propose as propose
    from mayfly.synthesis.records._propose import propose_join as propose_join
    from mayfly.synthesis.records._propose import propose_joined_reading as propose_joined_reading
    from mayfly.synthesis.records._propose import propose_reading as propose_reading
    from mayfly.synthesis.records._several import MOST_PARTS as MOST_PARTS
    from mayfly.synthesis.records._several import FileLines as FileLines
    from mayfly.synthesis.records._several import one_after_another as one_after_another
    from mayfly.synthesis.records._spread import Spread as Spread
    from mayfly.synthesis.records._sql_program import Written as Written
    from mayfly.synthesis.records._suite import loose_suite_of as loose_suite_of
    from mayfly.synthesis.records._suite import suite_of as suite_of
    from mayfly.synthesis.records._table import read_table as read_table

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
