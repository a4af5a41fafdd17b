-- +goose NO TRANSACTION
-- +goose Up
-- The first entry of an object together with another one, which is looked for when entries are removed: one group can have ten thousand systems, and one team as many.
DROP INDEX CONCURRENTLY IF EXISTS ai_audit_changes_first;
CREATE INDEX CONCURRENTLY ai_audit_changes_first ON ai_audit_entries (object_type, object_id, subject_type, subject_id, id) WHERE version = 2;

-- +goose Down
DROP INDEX ai_audit_changes_first;
