-- +goose Up
-- What a run of a custom tool got in place of a secret: only the hash of it, for whom it stands for the value, and until when.
CREATE TABLE secret_placeholders (
    hash           bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
    principal_kind text        NOT NULL,
    principal_id   uuid        NOT NULL,
    agent_id       uuid        NOT NULL,
    revision_id    uuid        NOT NULL,
    tool_id        text        NOT NULL,
    secret         text        NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz NOT NULL
);
CREATE INDEX secret_placeholders_expire ON secret_placeholders (expires_at);

-- Requests that have to be sent once: a repeat with the same key is told how the first one went. lost_at is when a request
-- without an answer is given up, because its process must have died.
CREATE TABLE http_requests (
    principal    text        NOT NULL,
    key          text        NOT NULL,
    request_hash bytea       NOT NULL,
    begun_at     timestamptz NOT NULL DEFAULT now(),
    lost_at      timestamptz NOT NULL,
    answer       jsonb,
    PRIMARY KEY (principal, key)
);
CREATE INDEX http_requests_begun ON http_requests (begun_at);

-- +goose Down
DROP TABLE http_requests, secret_placeholders;
