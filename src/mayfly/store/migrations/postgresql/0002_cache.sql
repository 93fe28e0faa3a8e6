-- A cache is not truth: its rows may be changed and taken away, so no guard stands over it.

CREATE TABLE mayfly_cache (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    made DOUBLE PRECISION NOT NULL,
    used DOUBLE PRECISION NOT NULL
);

CREATE INDEX mayfly_cache_used ON mayfly_cache (used);
