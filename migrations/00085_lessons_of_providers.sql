-- +goose Up
-- What providers have taught about how they want to be asked: a list of objects with model and lesson.
ALTER TABLE ai_connections ADD COLUMN lessons jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN lessons;
