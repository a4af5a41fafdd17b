-- +goose Up
-- What the server of a connection has said of the windows of its models, by model, in tokens; and what it seems to have
-- left out of a request without a word.
ALTER TABLE ai_connections
    ADD COLUMN asked_windows jsonb,
    ADD COLUMN cut_sent_tokens integer,
    ADD COLUMN cut_read_tokens integer,
    ADD COLUMN cut_noticed_at timestamptz;

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN asked_windows, DROP COLUMN cut_sent_tokens, DROP COLUMN cut_read_tokens, DROP COLUMN cut_noticed_at;
