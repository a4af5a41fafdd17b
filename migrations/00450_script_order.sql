-- +goose Up
-- When a script that waits for others of its principal last asked to run. Those that keep asking run
-- in the order in which they came.
ALTER TABLE script_tests ADD COLUMN asked_at timestamptz;

-- +goose Down
ALTER TABLE script_tests DROP COLUMN asked_at;
