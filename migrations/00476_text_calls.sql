-- +goose Up
-- Whether calls in the text of an answer are made.
ALTER TABLE ai_connections ADD COLUMN text_calls text NOT NULL DEFAULT 'auto' CHECK (text_calls IN ('auto', 'on', 'off'));

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN text_calls;
