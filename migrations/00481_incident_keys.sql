-- +goose NO TRANSACTION
-- +goose Up
-- An import looks for its keys among open and ended incidents.
DROP INDEX CONCURRENTLY IF EXISTS incidents_key;
CREATE INDEX CONCURRENTLY incidents_key ON incidents (dedupe_key) WHERE dedupe_key IS NOT NULL;
-- Timelines look for the proposals that name a record.
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_records;
CREATE INDEX CONCURRENTLY ai_proposals_records ON ai_proposals USING gin (labels);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_records;
DROP INDEX CONCURRENTLY IF EXISTS incidents_key;
