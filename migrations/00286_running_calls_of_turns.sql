-- +goose NO TRANSACTION
-- +goose Up
-- Calls of turns that are still open: few, and looked through for those whose turn is over. The index is built beside readers and writers.
-- A build that was given up leaves an index that is not valid, so it is dropped before it is made.
DROP INDEX CONCURRENTLY IF EXISTS ai_tool_calls_running;
CREATE INDEX CONCURRENTLY ai_tool_calls_running ON ai_tool_calls (turn_id) WHERE status = 'running' AND turn_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS ai_tool_calls_running;
