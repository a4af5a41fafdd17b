-- +goose Up
-- A request of a client of the OpenAI protocol, so that a retry joins the turn of the first attempt. The key is a hash over the client and its
-- Idempotency-Key, or over the client and the body.
CREATE TABLE ai_client_requests (
    key_hash   bytea       PRIMARY KEY CHECK (length(key_hash) = 32),
    -- The attempt that accepts the turn; a later one takes over when that attempt has died.
    attempt_id uuid        NOT NULL,
    owner_id   uuid        NOT NULL,
    body_hash  bytea       NOT NULL CHECK (length(body_hash) = 32),
    turn_id    uuid,
    message_id text        NOT NULL DEFAULT '',
    -- How many attempts have followed the turn.
    attempts   integer     NOT NULL DEFAULT 1,
    at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ai_client_requests_at ON ai_client_requests (at);
CREATE INDEX ai_client_requests_owner ON ai_client_requests (owner_id);

-- When the last stream of a turn was closed by its client before the turn was over; NULL while one is open, or none has been.
ALTER TABLE ai_turns ADD COLUMN left_at timestamptz;

-- +goose Down
ALTER TABLE ai_turns DROP COLUMN left_at;
DROP TABLE ai_client_requests;
