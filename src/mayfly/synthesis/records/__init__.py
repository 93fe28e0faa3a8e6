"""Records: programs for questions about logs, tables and objects, written without a model."""

from mayfly.synthesis.records._propose import Proposal, Unable, account_of, propose, propose_reading
from mayfly.synthesis.records._suite import loose_suite_of, suite_of

__all__ = ["Proposal", "Unable", "account_of", "loose_suite_of", "propose", "propose_reading", "suite_of"]
