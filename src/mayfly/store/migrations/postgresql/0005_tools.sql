-- The library: which version of each tool serves, every version there was, and the words it is found by. All of it
-- follows from the events of the tools alone and is written in one transaction with them: `log verify` recounts it.

CREATE TABLE mayfly_tools (
    name text NOT NULL PRIMARY KEY,
    version bigint NOT NULL,
    newest bigint NOT NULL,
    state text NOT NULL,
    changed bigint NOT NULL,
    calls bigint NOT NULL,
    failures bigint NOT NULL,
    used text NOT NULL
);

CREATE INDEX mayfly_tools_state ON mayfly_tools (state, used);

CREATE TABLE mayfly_tool_versions (
    name text NOT NULL,
    version bigint NOT NULL,
    event bigint NOT NULL,
    at text NOT NULL,
    source text NOT NULL,
    tests text NOT NULL,
    card text NOT NULL,
    size bigint NOT NULL,
    shape text NOT NULL,
    head text NOT NULL,
    seal text NOT NULL,
    PRIMARY KEY (name, version)
);

CREATE INDEX mayfly_tool_versions_shape ON mayfly_tool_versions (shape);

CREATE TABLE mayfly_tool_words (
    word text NOT NULL,
    name text NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (word, name, version)
);
