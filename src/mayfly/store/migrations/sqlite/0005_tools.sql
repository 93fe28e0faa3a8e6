-- The library: which version of each tool serves, every version there was, and the words it is found by. All of it
-- follows from the events of the tools alone and is written in one transaction with them: `log verify` recounts it.

CREATE TABLE mayfly_tools (
    name TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    state TEXT NOT NULL,
    changed INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    used TEXT NOT NULL
);

CREATE INDEX mayfly_tools_state ON mayfly_tools (state, used);

CREATE TABLE mayfly_tool_versions (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    event INTEGER NOT NULL,
    at TEXT NOT NULL,
    source TEXT NOT NULL,
    tests TEXT NOT NULL,
    card TEXT NOT NULL,
    size INTEGER NOT NULL,
    shape TEXT NOT NULL,
    head TEXT NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (name, version)
);

CREATE INDEX mayfly_tool_versions_shape ON mayfly_tool_versions (shape);

CREATE TABLE mayfly_tool_words (
    word TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (word, name, version)
) WITHOUT ROWID;
