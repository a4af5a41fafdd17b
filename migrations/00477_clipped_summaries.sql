-- +goose Up
-- The turn whose summary lacks a part of a message, which its person reads of.
ALTER TABLE ai_conversations ADD COLUMN summary_clipped_by uuid;

-- +goose Down
ALTER TABLE ai_conversations DROP COLUMN summary_clipped_by;
