CREATE TABLE agent_migrations (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    migration_name text NOT NULL UNIQUE,
    sql_executed text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
