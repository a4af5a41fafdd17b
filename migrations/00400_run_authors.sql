-- +goose Up
-- Who wrote the revision of the definition that a run executes. A second person is neither that person nor who made the
-- token of the application. Runs and proposals of the version before have none, and nobody is their second person.
ALTER TABLE runs ADD COLUMN author_id uuid;
ALTER TABLE ai_proposals ADD COLUMN author_id uuid;

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN author_id;
ALTER TABLE runs DROP COLUMN author_id;
