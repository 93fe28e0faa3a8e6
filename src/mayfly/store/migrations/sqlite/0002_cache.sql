-- A cache is not truth: its rows may be changed and taken away, so no guard stands over it.

CREATE TABLE mayfly_cache (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    made REAL NOT NULL,
    used REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX mayfly_cache_used ON mayfly_cache (used);
