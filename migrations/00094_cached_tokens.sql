-- +goose Up
-- The part of the input that the provider had in its cache. Nothing is known of it for earlier calls.
ALTER TABLE ai_spend ADD COLUMN cached_tokens bigint CHECK (cached_tokens >= 0);

-- +goose Down
ALTER TABLE ai_spend DROP COLUMN cached_tokens;
