-- The first tables. The guards are ENABLE ALWAYS, so session_replication_role does not switch them off, and their
-- search_path is pinned, so a temporary table of the same name is not asked for the next id.

CREATE TABLE mayfly_migrations (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    at text NOT NULL
);

CREATE TABLE mayfly_events (
    id bigint PRIMARY KEY,
    at text NOT NULL,
    writer text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    payload text NOT NULL
);

CREATE INDEX mayfly_events_kind ON mayfly_events (kind, id);

CREATE INDEX mayfly_events_subject ON mayfly_events (subject, id);

CREATE TABLE mayfly_blobs (
    hash text PRIMARY KEY CHECK (length(hash) = 64),
    data bytea NOT NULL
);

ALTER TABLE mayfly_blobs ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE FUNCTION mayfly_refuse() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END;
$$;

-- Rows take the next number under a lock that lasts until the commit is visible: whoever reads in order of id and
-- remembers the last one never misses a row that was numbered earlier and committed later.
CREATE FUNCTION mayfly_next_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    due bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(TG_TABLE_NAME, 0));
    EXECUTE format('SELECT coalesce(max(id), 0) + 1 FROM ONLY %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO due;
    IF NEW.id IS DISTINCT FROM due THEN
        RAISE EXCEPTION '% is append-only: a row takes the next id', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END;
$$;

CREATE TRIGGER mayfly_insert BEFORE INSERT ON mayfly_migrations
FOR EACH ROW EXECUTE FUNCTION mayfly_next_only();

CREATE TRIGGER mayfly_change BEFORE UPDATE OR DELETE ON mayfly_migrations
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_migrations
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_insert BEFORE INSERT ON mayfly_events
FOR EACH ROW EXECUTE FUNCTION mayfly_next_only();

CREATE TRIGGER mayfly_change BEFORE UPDATE OR DELETE ON mayfly_events
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_events
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_change BEFORE UPDATE OR DELETE ON mayfly_blobs
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_blobs
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

ALTER TABLE mayfly_migrations ENABLE ALWAYS TRIGGER mayfly_insert;
ALTER TABLE mayfly_migrations ENABLE ALWAYS TRIGGER mayfly_change;
ALTER TABLE mayfly_migrations ENABLE ALWAYS TRIGGER mayfly_truncate;
ALTER TABLE mayfly_events ENABLE ALWAYS TRIGGER mayfly_insert;
ALTER TABLE mayfly_events ENABLE ALWAYS TRIGGER mayfly_change;
ALTER TABLE mayfly_events ENABLE ALWAYS TRIGGER mayfly_truncate;
ALTER TABLE mayfly_blobs ENABLE ALWAYS TRIGGER mayfly_change;
ALTER TABLE mayfly_blobs ENABLE ALWAYS TRIGGER mayfly_truncate;
