-- +goose Up
-- How long a verdict, a title or a summary may take on a connection; what the model is like decides while it is not set.
ALTER TABLE ai_connections ADD COLUMN small_call_seconds smallint CHECK (small_call_seconds BETWEEN 1 AND 300);

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN small_call_seconds;
