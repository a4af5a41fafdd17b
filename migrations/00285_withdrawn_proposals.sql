-- +goose Up
-- A proposal that its own turn has withdrawn is declined, and no follow-up turn acknowledges that: the person who stopped the turn knows.
ALTER TABLE ai_proposals ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN withdrawn;
