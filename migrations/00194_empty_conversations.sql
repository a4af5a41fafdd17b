-- +goose NO TRANSACTION
-- +goose Up
-- Those without a title are few: a message gives one. Among them are those that no message has ever come to.
DROP INDEX CONCURRENTLY IF EXISTS ai_conversations_untitled;
CREATE INDEX CONCURRENTLY ai_conversations_untitled ON ai_conversations (updated_at) WHERE title IS NULL;

-- +goose Down
DROP INDEX ai_conversations_untitled;
