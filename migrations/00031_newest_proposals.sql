-- +goose Up
-- A list of proposals is read in its order, newest first, until it is full.
CREATE INDEX ai_proposals_newest ON ai_proposals (created_at DESC, id DESC);

-- +goose Down
DROP INDEX ai_proposals_newest;
