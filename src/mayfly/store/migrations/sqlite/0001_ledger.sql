-- The first tables. Every guard is a BEFORE trigger: REPLACE deletes without firing delete triggers (unless
-- recursive_triggers is on), so the insert itself has to be refused before the old row is taken away.

CREATE TABLE mayfly_migrations (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    at TEXT NOT NULL CHECK (typeof(at) = 'text')
);

CREATE TABLE mayfly_events (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL CHECK (typeof(at) = 'text'),
    writer TEXT NOT NULL CHECK (typeof(writer) = 'text'),
    kind TEXT NOT NULL CHECK (typeof(kind) = 'text'),
    subject TEXT NOT NULL CHECK (typeof(subject) = 'text'),
    payload TEXT NOT NULL CHECK (typeof(payload) = 'text')
);

CREATE INDEX mayfly_events_kind ON mayfly_events (kind, id);

CREATE INDEX mayfly_events_subject ON mayfly_events (subject, id);

-- Without a rowid, the hash is the only key over which REPLACE could put another row.
CREATE TABLE mayfly_blobs (
    hash TEXT NOT NULL PRIMARY KEY CHECK (typeof(hash) = 'text' AND length(hash) = 64),
    data BLOB NOT NULL CHECK (typeof(data) = 'blob')
) WITHOUT ROWID;

CREATE TRIGGER mayfly_migrations_insert BEFORE INSERT ON mayfly_migrations
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM mayfly_migrations)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_migrations is append-only: a row takes the next id');
END;

CREATE TRIGGER mayfly_migrations_update BEFORE UPDATE ON mayfly_migrations
BEGIN
    SELECT RAISE(ABORT, 'mayfly_migrations is append-only: UPDATE refused');
END;

CREATE TRIGGER mayfly_migrations_delete BEFORE DELETE ON mayfly_migrations
BEGIN
    SELECT RAISE(ABORT, 'mayfly_migrations is append-only: DELETE refused');
END;

CREATE TRIGGER mayfly_events_insert BEFORE INSERT ON mayfly_events
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM mayfly_events)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_events is append-only: a row takes the next id');
END;

CREATE TRIGGER mayfly_events_update BEFORE UPDATE ON mayfly_events
BEGIN
    SELECT RAISE(ABORT, 'mayfly_events is append-only: UPDATE refused');
END;

CREATE TRIGGER mayfly_events_delete BEFORE DELETE ON mayfly_events
BEGIN
    SELECT RAISE(ABORT, 'mayfly_events is append-only: DELETE refused');
END;

CREATE TRIGGER mayfly_blobs_insert BEFORE INSERT ON mayfly_blobs
WHEN EXISTS (SELECT 1 FROM mayfly_blobs WHERE hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_blobs is append-only: the hash is taken');
END;

CREATE TRIGGER mayfly_blobs_update BEFORE UPDATE ON mayfly_blobs
BEGIN
    SELECT RAISE(ABORT, 'mayfly_blobs is append-only: UPDATE refused');
END;

CREATE TRIGGER mayfly_blobs_delete BEFORE DELETE ON mayfly_blobs
BEGIN
    SELECT RAISE(ABORT, 'mayfly_blobs is append-only: DELETE refused');
END;
