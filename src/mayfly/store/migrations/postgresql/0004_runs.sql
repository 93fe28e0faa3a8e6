-- What is kept beside the events and written in one transaction with them: how each run stands, and a chain of hashes.

-- A row follows from the events of its run alone, so it is no truth: it may be changed, and `log verify` recounts it.
CREATE TABLE mayfly_runs (
    id text PRIMARY KEY,
    began bigint NOT NULL,
    at text NOT NULL,
    intent text NOT NULL,
    status text NOT NULL,
    cancelled bigint NOT NULL,
    owner text NOT NULL,
    generation bigint NOT NULL,
    nodes bigint NOT NULL,
    resolved bigint NOT NULL,
    collapsed bigint NOT NULL,
    failed bigint NOT NULL,
    depth bigint NOT NULL,
    ended bigint NOT NULL,
    ended_at text NOT NULL,
    code text NOT NULL,
    cached bigint NOT NULL,
    seconds double precision NOT NULL,
    model_calls bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    micros bigint NOT NULL,
    leaf_model_calls bigint NOT NULL,
    leaf_input_tokens bigint NOT NULL,
    leaf_output_tokens bigint NOT NULL,
    leaf_micros bigint NOT NULL,
    compiled bigint NOT NULL,
    lines bigint NOT NULL,
    dead bigint NOT NULL
);

CREATE INDEX mayfly_runs_began ON mayfly_runs (began);

CREATE INDEX mayfly_runs_status ON mayfly_runs (status, began);

-- One link for each append: the hash of the link before it and of the events from first to last.
CREATE TABLE mayfly_links (
    last bigint PRIMARY KEY,
    first bigint NOT NULL,
    hash text NOT NULL CHECK (length(hash) = 64)
);

CREATE FUNCTION mayfly_next_link() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    newest bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('mayfly_events', 0));
    EXECUTE format('SELECT coalesce(max(last), 0) FROM ONLY %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO newest;
    IF NEW.first <= newest OR NEW.last < NEW.first THEN
        RAISE EXCEPTION 'mayfly_links is append-only: a link comes after the last one'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END;
$$;

-- Whoever follows the ledger hears of each append once; the channel belongs to this table, as there may be others.
CREATE FUNCTION mayfly_tell() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('mayfly_' || TG_RELID, '');
    RETURN NULL;
END;
$$;

CREATE TRIGGER mayfly_insert BEFORE INSERT ON mayfly_links
FOR EACH ROW EXECUTE FUNCTION mayfly_next_link();

CREATE TRIGGER mayfly_told AFTER INSERT ON mayfly_links
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_tell();

CREATE TRIGGER mayfly_change BEFORE UPDATE OR DELETE ON mayfly_links
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_links
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

-- Files that hold the events of old runs: the hash of the file, how many events it holds, and the first of them.
CREATE TABLE mayfly_archives (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    hash text NOT NULL CHECK (length(hash) = 64),
    events bigint NOT NULL,
    first bigint NOT NULL
);

CREATE TRIGGER mayfly_insert BEFORE INSERT ON mayfly_archives
FOR EACH ROW EXECUTE FUNCTION mayfly_next_only();

CREATE TRIGGER mayfly_change BEFORE UPDATE OR DELETE ON mayfly_archives
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_archives
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

-- In which of them the events of a subject are.
CREATE TABLE mayfly_archived (
    subject text NOT NULL,
    archive bigint NOT NULL,
    PRIMARY KEY (subject, archive)
);

ALTER TABLE mayfly_links ENABLE ALWAYS TRIGGER mayfly_insert;
ALTER TABLE mayfly_links ENABLE ALWAYS TRIGGER mayfly_change;
ALTER TABLE mayfly_links ENABLE ALWAYS TRIGGER mayfly_truncate;
ALTER TABLE mayfly_archives ENABLE ALWAYS TRIGGER mayfly_insert;
ALTER TABLE mayfly_archives ENABLE ALWAYS TRIGGER mayfly_change;
ALTER TABLE mayfly_archives ENABLE ALWAYS TRIGGER mayfly_truncate;
