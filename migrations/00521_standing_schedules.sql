-- +goose Up
-- The slot at which the schedule of a disabled automation or trigger stands, so that it can catch up.
ALTER TABLE automation_schedules ADD COLUMN held_at timestamptz;

-- +goose Down
ALTER TABLE automation_schedules DROP COLUMN held_at;
