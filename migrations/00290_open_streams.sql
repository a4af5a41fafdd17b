-- +goose Up
-- How many streams of a turn are open. A process that dies does not count its streams down, so it may be too high and never too low.
ALTER TABLE ai_turns ADD COLUMN open_streams integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE ai_turns DROP COLUMN open_streams;
