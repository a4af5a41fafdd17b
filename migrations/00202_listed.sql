-- +goose NO TRANSACTION
-- +goose Up
-- What filters of lists choose few of: turns that failed or were stopped, people who are disabled or were invited.
DROP INDEX CONCURRENTLY IF EXISTS ai_turns_ended;
CREATE INDEX CONCURRENTLY ai_turns_ended ON ai_turns (status, created_at, id) WHERE status IN ('failed', 'stopped');
DROP INDEX CONCURRENTLY IF EXISTS users_disabled;
CREATE INDEX CONCURRENTLY users_disabled ON users (lower(name), id) WHERE disabled;
DROP INDEX CONCURRENTLY IF EXISTS users_without_password;
CREATE INDEX CONCURRENTLY users_without_password ON users (lower(name), id) WHERE password_hash = '' AND NOT disabled;


-- +goose Down
DROP INDEX users_without_password;
DROP INDEX users_disabled;
DROP INDEX ai_turns_ended;
