-- +goose Up
CREATE INDEX ai_conversations_archived ON ai_conversations (owner_id, archived_at DESC) WHERE archived_at IS NOT NULL;

-- When conversations are deleted for good. One row, off until an administrator says otherwise.
CREATE TABLE ai_retention (
    one           boolean     PRIMARY KEY DEFAULT true CHECK (one),
    enabled       boolean     NOT NULL DEFAULT false,
    -- Days after a conversation was archived, and days after anything last happened in it, archived or not.
    archived_days integer     CHECK (archived_days BETWEEN 1 AND 3650),
    idle_days     integer     CHECK (idle_days BETWEEN 1 AND 3650),
    revision      bigint      NOT NULL DEFAULT 1,
    updated_at    timestamptz NOT NULL DEFAULT now(),
    updated_by    uuid,
    swept_at      timestamptz,
    deleted       bigint      NOT NULL DEFAULT 0,
    CHECK (NOT enabled OR num_nonnulls(archived_days, idle_days) > 0)
);
INSERT INTO ai_retention DEFAULT VALUES;

-- Who had whose conversations deleted, and how much that was. No names and no content: this stays on record.
CREATE TABLE ai_erasures (
    id                uuid        PRIMARY KEY,
    person_id         uuid        NOT NULL,
    requested_by_kind text        NOT NULL,
    requested_by_id   uuid        NOT NULL,
    requested_at      timestamptz NOT NULL DEFAULT now(),
    conversations     bigint      NOT NULL DEFAULT 0,
    messages          bigint      NOT NULL DEFAULT 0,
    turns             bigint      NOT NULL DEFAULT 0,
    proposals         bigint      NOT NULL DEFAULT 0,
    -- What other parts of the product have deleted, by their names.
    other             jsonb       NOT NULL DEFAULT '{}',
    finished_at       timestamptz
);
CREATE UNIQUE INDEX ai_erasures_running ON ai_erasures (person_id) WHERE finished_at IS NULL;
CREATE INDEX ai_erasures_requested ON ai_erasures (requested_at DESC);

-- +goose Down
DROP TABLE ai_erasures, ai_retention;
DROP INDEX ai_conversations_archived;
