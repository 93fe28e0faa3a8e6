CREATE TABLE agent_migrations (
    id INTEGER PRIMARY KEY,
    migration_name TEXT NOT NULL UNIQUE,
    sql_executed TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
)
