-- +goose Up
-- What the assistant is to remember. A memory of scope user is for its owner only; one of scope system is shared with
-- everybody who may see that system. system_id has no foreign key: modules share no tables.
CREATE TABLE ai_memory (
    id                     uuid        PRIMARY KEY,
    owner_id               uuid        NOT NULL,
    owner_name             text        NOT NULL,
    scope                  text        NOT NULL CHECK (scope IN ('user', 'system')),
    system_id              uuid,
    recall_hint            text        NOT NULL CHECK (length(recall_hint) BETWEEN 1 AND 200),
    content                text        NOT NULL CHECK (length(content) BETWEEN 1 AND 4000),
    tags                   text[]      NOT NULL,
    -- Put into every prompt of the owner, and of nobody else.
    always_inject          boolean     NOT NULL,
    source_conversation_id uuid,
    -- Who else changed the text last; null while the owner wrote all of it.
    editor_id              uuid,
    editor_name            text,
    -- What a search looks through: the text folded, and its words weighed by where they stand.
    folded                 text        NOT NULL,
    words                  tsvector    NOT NULL,
    revision               bigint      NOT NULL DEFAULT 1,
    created_at             timestamptz NOT NULL DEFAULT now(),
    updated_at             timestamptz NOT NULL DEFAULT now(),
    CHECK ((scope = 'system') = (system_id IS NOT NULL)),
    CHECK ((editor_id IS NULL) = (editor_name IS NULL))
);
CREATE INDEX ai_memory_owner ON ai_memory (owner_id, updated_at DESC);
CREATE INDEX ai_memory_system ON ai_memory (system_id) WHERE system_id IS NOT NULL;
CREATE INDEX ai_memory_words ON ai_memory USING gin (words);

-- +goose Down
DROP TABLE ai_memory;
