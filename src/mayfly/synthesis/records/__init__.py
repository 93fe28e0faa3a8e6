"""Records: programs for questions about logs, tables and objects, written without a model."""

from mayfly.synthesis.records._propose import Offer, Proposal, Unable, account_of, propose
from mayfly.synthesis.records._suite import suite_of

__all__ = ["Offer", "Proposal", "Unable", "account_of", "propose", "suite_of"]
