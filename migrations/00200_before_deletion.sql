-- +goose Up
-- What a deletion keeps of what it deletes, to propose to make it again. Absent where nothing is kept.
ALTER TABLE ai_proposals ADD COLUMN before jsonb;

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN before;
