-- +goose NO TRANSACTION
-- +goose Up
-- The newest turns of everybody, and those of one person.
DROP INDEX CONCURRENTLY IF EXISTS ai_turns_newest;
CREATE INDEX CONCURRENTLY ai_turns_newest ON ai_turns (created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS ai_turns_person;
CREATE INDEX CONCURRENTLY ai_turns_person ON ai_turns (principal_id, created_at, id);

-- +goose Down
DROP INDEX ai_turns_person;
DROP INDEX ai_turns_newest;
