-- +goose Up
-- A check of a model: situations that are played to it and judged. The connection may be deleted since, so its name is kept.
CREATE TABLE ai_model_checks (
    id              uuid        PRIMARY KEY,
    connection_id   uuid        NOT NULL,
    connection_name text        NOT NULL,
    model           text        NOT NULL,
    status          text        NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done', 'stopped', 'interrupted')),
    -- What is played, in this order: the names of the situations, as often as there are repeats.
    situations      text[]      NOT NULL,
    repeats         integer     NOT NULL CHECK (repeats > 0),
    parallel        integer     NOT NULL CHECK (parallel > 0),
    -- Who pays for the calls. A command on the server has nobody.
    started_by_kind text,
    started_by      uuid,
    -- Per million tokens, in whatever currency the one who started it thinks.
    input_price     double precision CHECK (input_price >= 0),
    output_price    double precision CHECK (output_price >= 0),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When somebody last worked on it. A check that nobody works on is interrupted.
    alive_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at        timestamptz,
    CHECK ((status = 'running') = (ended_at IS NULL)),
    CHECK ((started_by IS NULL) = (started_by_kind IS NULL))
);
CREATE INDEX ai_model_checks_newest ON ai_model_checks (created_at DESC, id DESC);
CREATE UNIQUE INDEX ai_model_checks_one ON ai_model_checks (connection_id) WHERE status = 'running';

CREATE TABLE ai_model_check_outcomes (
    check_id      uuid        NOT NULL REFERENCES ai_model_checks (id) ON DELETE CASCADE,
    -- Which one it is of all that are played, from 0.
    number        integer     NOT NULL,
    situation     text        NOT NULL,
    kind          text        NOT NULL,
    verdict       text        NOT NULL CHECK (verdict IN ('passed', 'failed', 'error', 'skipped')),
    reasons       text[]      NOT NULL,
    -- What happened, in short lines without credentials.
    shown         jsonb       NOT NULL,
    steps         integer     NOT NULL,
    calls         integer     NOT NULL,
    input_tokens  bigint      NOT NULL,
    output_tokens bigint      NOT NULL,
    estimated     boolean     NOT NULL,
    took_ms       bigint      NOT NULL,
    ended_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (check_id, number)
);

-- The calls of a check have a purpose of their own. Rows that are there have one of the others.
ALTER TABLE ai_spend DROP CONSTRAINT ai_spend_purpose_check,
    ADD CONSTRAINT ai_spend_purpose_check CHECK (purpose IN ('answer', 'title', 'classifier', 'summary', 'check')) NOT VALID;

-- +goose Down
DELETE FROM ai_spend WHERE purpose = 'check';
ALTER TABLE ai_spend DROP CONSTRAINT ai_spend_purpose_check,
    ADD CONSTRAINT ai_spend_purpose_check CHECK (purpose IN ('answer', 'title', 'classifier', 'summary')) NOT VALID;
DROP TABLE ai_model_check_outcomes;
DROP TABLE ai_model_checks;
