"""What the routes that list something have in common."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Skip = Annotated[int, Query(ge=0, le=10_000_000, description="How many to leave out at the beginning.")]
Before = Annotated[int | None, Query(ge=0, le=2**62, description="Only those before this number.")]
# Ids as the store makes them: nothing in one can name another place.
RunId = Annotated[str, Path(pattern=r"^[a-z]{1,3}-[A-Za-z0-9._-]{1,100}$", description="The id of a run.")]
