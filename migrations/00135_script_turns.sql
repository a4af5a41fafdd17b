-- +goose Up
-- When a script was let run: NULL while it waits for others of its principal. Those are counted over all processes.
ALTER TABLE script_tests ADD COLUMN admitted_at timestamptz;

-- +goose Down
ALTER TABLE script_tests DROP COLUMN admitted_at;
