-- +goose Up
CREATE TABLE ai_skill (
    id              uuid        PRIMARY KEY,
    name            text        NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    -- The name as it is compared: composed and case-folded.
    name_key        text        NOT NULL CONSTRAINT ai_skill_name_key UNIQUE,
    description     text        NOT NULL CHECK (length(description) BETWEEN 1 AND 500),
    targets         text[]      NOT NULL CHECK (cardinality(targets) > 0 AND targets <@ ARRAY['chat', 'ai_analyze']),
    system_prompt   text        NOT NULL CHECK (length(system_prompt) <= 8000),
    prompt_template text        NOT NULL CHECK (length(prompt_template) <= 8000),
    output_fields   jsonb       NOT NULL CHECK (jsonb_typeof(output_fields) = 'array'),
    tags            text[]      NOT NULL,
    -- The author. Not a reference: a skill outlives the account that wrote it, and the author may be an application.
    owner_kind      text        NOT NULL CHECK (owner_kind IN ('user', 'application')),
    owner_id        uuid        NOT NULL,
    -- Of an application only; the name of a person is looked up.
    owner_name      text        NOT NULL,
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CHECK (system_prompt <> '' OR prompt_template <> '')
);

-- +goose Down
DROP TABLE ai_skill;
