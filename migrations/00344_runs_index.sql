-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS ai_spend_run;
CREATE INDEX CONCURRENTLY ai_spend_run ON ai_spend (run_id) INCLUDE (tokens) WHERE run_id IS NOT NULL;
ALTER TABLE ai_conversations VALIDATE CONSTRAINT ai_conversations_kind;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS ai_spend_run;
