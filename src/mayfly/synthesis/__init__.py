"""Programs with no model: from examples of what they have to do, and from a request about some lines of a file."""

__all__ = ["examples", "records"]
