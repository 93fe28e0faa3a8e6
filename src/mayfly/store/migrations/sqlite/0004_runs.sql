-- What is kept beside the events and written in one transaction with them: how each run stands, and a chain of hashes.

-- A row follows from the events of its run alone, so it is no truth: it may be changed, and `log verify` recounts it.
CREATE TABLE mayfly_runs (
    id TEXT NOT NULL PRIMARY KEY,
    began INTEGER NOT NULL,
    at TEXT NOT NULL,
    intent TEXT NOT NULL,
    status TEXT NOT NULL,
    cancelled INTEGER NOT NULL,
    owner TEXT NOT NULL,
    generation INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    resolved INTEGER NOT NULL,
    collapsed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    ended_at TEXT NOT NULL,
    code TEXT NOT NULL,
    cached INTEGER NOT NULL,
    seconds REAL NOT NULL,
    model_calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    leaf_model_calls INTEGER NOT NULL,
    leaf_input_tokens INTEGER NOT NULL,
    leaf_output_tokens INTEGER NOT NULL,
    leaf_micros INTEGER NOT NULL,
    compiled INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    dead INTEGER NOT NULL
);

CREATE INDEX mayfly_runs_began ON mayfly_runs (began);

CREATE INDEX mayfly_runs_status ON mayfly_runs (status, began);

-- One link for each append: the hash of the link before it and of the events from first to last.
CREATE TABLE mayfly_links (
    last INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    hash TEXT NOT NULL CHECK (typeof(hash) = 'text' AND length(hash) = 64)
);

CREATE TRIGGER mayfly_links_insert BEFORE INSERT ON mayfly_links
WHEN NEW.first IS NULL OR NEW.last IS NULL OR NEW.last < NEW.first
    OR NEW.first <= (SELECT coalesce(max(last), 0) FROM mayfly_links)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_links is append-only: a link comes after the last one');
END;

CREATE TRIGGER mayfly_links_update BEFORE UPDATE ON mayfly_links
BEGIN
    SELECT RAISE(ABORT, 'mayfly_links is append-only: UPDATE refused');
END;

CREATE TRIGGER mayfly_links_delete BEFORE DELETE ON mayfly_links
BEGIN
    SELECT RAISE(ABORT, 'mayfly_links is append-only: DELETE refused');
END;

-- Files that hold the events of old runs: the hash of the file, how many events it holds, and the first of them.
CREATE TABLE mayfly_archives (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    hash TEXT NOT NULL CHECK (typeof(hash) = 'text' AND length(hash) = 64),
    events INTEGER NOT NULL,
    first INTEGER NOT NULL
);

CREATE TRIGGER mayfly_archives_insert BEFORE INSERT ON mayfly_archives
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM mayfly_archives)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_archives is append-only: a row takes the next id');
END;

CREATE TRIGGER mayfly_archives_update BEFORE UPDATE ON mayfly_archives
BEGIN
    SELECT RAISE(ABORT, 'mayfly_archives is append-only: UPDATE refused');
END;

CREATE TRIGGER mayfly_archives_delete BEFORE DELETE ON mayfly_archives
BEGIN
    SELECT RAISE(ABORT, 'mayfly_archives is append-only: DELETE refused');
END;

-- In which of them the events of a subject are.
CREATE TABLE mayfly_archived (
    subject TEXT NOT NULL,
    archive INTEGER NOT NULL,
    PRIMARY KEY (subject, archive)
) WITHOUT ROWID;
