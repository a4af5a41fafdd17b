-- +goose Up
-- A run of a definition, such as an automation, in which an application acts without a token. It is to an application what
-- a session is to a person: turns, proposals and calls of a run name it where those of people name their session.
CREATE TABLE runs (
    id              uuid        PRIMARY KEY,
    application_id  uuid        NOT NULL,
    definition_kind text        NOT NULL CHECK (length(definition_kind) BETWEEN 1 AND 60),
    definition_id   uuid        NOT NULL,
    revision        bigint      NOT NULL CHECK (revision > 0),
    -- What becomes of the changes that its turns ask for.
    policy          jsonb       NOT NULL,
    -- The tokens that all of its model calls may use together; no limit without one.
    token_cap       bigint      CHECK (token_cap > 0),
    created_at      timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz,
    -- When the run and its conversations are deleted; set with the end.
    kept_until      timestamptz,
    CHECK ((ended_at IS NULL) = (kept_until IS NULL))
);
CREATE INDEX runs_kept ON runs (kept_until) WHERE kept_until IS NOT NULL;

-- Revisions of definitions whose runs may not act any more.
CREATE TABLE run_revocations (
    definition_id uuid        NOT NULL,
    revision      bigint      NOT NULL,
    revoked_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (definition_id, revision)
);

-- A conversation of kind run is owned by its run, so that it is in the list of no person and no application.
ALTER TABLE ai_conversations ADD COLUMN kind text NOT NULL DEFAULT 'chat';
ALTER TABLE ai_conversations ADD CONSTRAINT ai_conversations_kind CHECK (kind IN ('chat', 'run')) NOT VALID;
-- The run that a proposal was made in; people alone decide about those.
ALTER TABLE ai_proposals ADD COLUMN run_id uuid;
ALTER TABLE ai_spend ADD COLUMN run_id uuid;

-- +goose Down
ALTER TABLE ai_spend DROP COLUMN run_id;
ALTER TABLE ai_proposals DROP COLUMN run_id;
ALTER TABLE ai_conversations DROP CONSTRAINT ai_conversations_kind, DROP COLUMN kind;
DROP TABLE run_revocations;
DROP TABLE runs;
