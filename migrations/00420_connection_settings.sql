-- +goose Up
-- What calls have shown of the models of a connection, by model; and settings of what is sent with a request.
ALTER TABLE ai_connections
    ADD COLUMN figures             jsonb NOT NULL DEFAULT '{}',
    -- The values of extra headers, sealed like the key; their names can be read.
    ADD COLUMN header_names        text[] NOT NULL DEFAULT '{}',
    ADD COLUMN headers_sealed      bytea,
    ADD COLUMN extra_body          jsonb,
    ADD COLUMN reasoning_effort    text,
    ADD COLUMN streaming           text NOT NULL DEFAULT 'auto' CHECK (streaming IN ('auto', 'on', 'off')),
    ADD COLUMN first_token_seconds integer CHECK (first_token_seconds BETWEEN 1 AND 3600),
    ADD COLUMN max_tools           integer CHECK (max_tools BETWEEN 1 AND 1000);

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN figures, DROP COLUMN header_names, DROP COLUMN headers_sealed, DROP COLUMN extra_body,
    DROP COLUMN reasoning_effort, DROP COLUMN streaming, DROP COLUMN first_token_seconds, DROP COLUMN max_tools;
