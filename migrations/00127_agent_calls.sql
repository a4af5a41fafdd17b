-- +goose Up
-- Who called which tool of which revision, and how it went: what the page of an agent shows of its use. Arguments are hashed.
CREATE TABLE agent_calls (
    id             uuid        PRIMARY KEY,
    agent_id       uuid        NOT NULL REFERENCES agents ON DELETE CASCADE,
    number         integer     NOT NULL,
    tool_id        text        NOT NULL,
    principal_kind text        NOT NULL,
    principal_id   uuid        NOT NULL,
    turn_id        uuid,
    args_hash      text        NOT NULL,
    ok             boolean     NOT NULL,
    error_code     text        NOT NULL DEFAULT '',
    duration_ms    double precision NOT NULL,
    at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_calls_at ON agent_calls (agent_id, at DESC, id DESC);
CREATE INDEX agent_calls_age ON agent_calls (at);

-- +goose Down
DROP TABLE agent_calls;
