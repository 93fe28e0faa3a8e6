"""Relations between a result and its input: which one a request asks for, and how it is asked in this process."""

from mayfly.forge._relations import Relation, in_process, relation, relation_of

__all__ = ["Relation", "in_process", "relation", "relation_of"]
