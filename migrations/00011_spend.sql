-- +goose Up
-- One row for each model call: what it may use while it runs, and what it has used. The spend caps of connections count
-- these rows.
CREATE TABLE ai_spend (
    id             uuid        PRIMARY KEY,
    connection_id  uuid        NOT NULL,
    principal_kind text        NOT NULL,
    principal_id   uuid        NOT NULL,
    -- Nobody was there who waits for the answer.
    unattended     boolean     NOT NULL DEFAULT false,
    turn_id        uuid,
    step           smallint,
    attempt        smallint,
    purpose        text        NOT NULL CHECK (purpose IN ('answer', 'title', 'classifier', 'summary')),
    -- The estimate. It counts until the use is known, and for good when the provider does not report it.
    reserved       bigint      NOT NULL CHECK (reserved >= 0),
    input_tokens   bigint      CHECK (input_tokens >= 0),
    output_tokens  bigint      CHECK (output_tokens >= 0),
    status         text        NOT NULL CHECK (status IN ('reserved', 'settled', 'released')),
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at     timestamptz,
    -- What the caps count.
    tokens         bigint      NOT NULL GENERATED ALWAYS AS
                               (CASE WHEN status = 'released' THEN 0 ELSE coalesce(input_tokens + output_tokens, reserved) END) STORED,
    CHECK ((input_tokens IS NULL) = (output_tokens IS NULL)),
    CHECK ((status = 'settled') OR input_tokens IS NULL),
    CHECK ((status = 'reserved') = (settled_at IS NULL))
);
CREATE INDEX ai_spend_window ON ai_spend (connection_id, principal_id, created_at) INCLUDE (unattended, tokens);
-- Rows come in the order of time, so this index is a few pages and costs nothing to keep.
CREATE INDEX ai_spend_created ON ai_spend USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on);

-- The sums of turns were what the spend cap counted before.
DROP INDEX ai_turns_spent;
INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, turn_id, purpose, reserved, input_tokens, output_tokens, status, created_at, settled_at)
SELECT id, connection_id, principal_kind, principal_id, id, 'answer', 0, input_tokens, output_tokens, 'settled', finished_at, finished_at
FROM ai_turns WHERE finished_at IS NOT NULL AND input_tokens + output_tokens > 0;

ALTER TABLE ai_connections
    ADD COLUMN unattended_token_budget   bigint  CHECK (unattended_token_budget > 0),
    ADD COLUMN unattended_window_minutes integer CHECK (unattended_window_minutes > 0),
    -- The administrator's choice of what new chats begin with.
    ADD COLUMN is_default                boolean NOT NULL DEFAULT false,
    ADD CHECK ((unattended_token_budget IS NULL) = (unattended_window_minutes IS NULL));
CREATE UNIQUE INDEX ai_connections_default ON ai_connections (is_default) WHERE is_default;
-- What was everybody's default so far stays it.
UPDATE ai_connections SET is_default = true
WHERE id = (SELECT id FROM ai_connections WHERE enabled ORDER BY kind = 'demo', created_at DESC, id DESC LIMIT 1);

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN unattended_token_budget, DROP COLUMN unattended_window_minutes, DROP COLUMN is_default;
CREATE INDEX ai_turns_spent ON ai_turns (principal_id, connection_id, finished_at);
DROP TABLE ai_spend;
