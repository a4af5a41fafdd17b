-- +goose Up
-- A proposal that its own turn has withdrawn is declined, and nobody is told of it by a turn: whoever stopped the turn knows.
ALTER TABLE ai_proposals ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN withdrawn;
