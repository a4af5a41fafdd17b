-- +goose Up
-- How the last test of a channel ended; without one since its address was set, nobody knows whether it works.
ALTER TABLE notify_channels
    ADD COLUMN tested_at timestamptz,
    ADD COLUMN test_result text NOT NULL DEFAULT '',
    ADD COLUMN test_reason text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE notify_channels DROP COLUMN tested_at, DROP COLUMN test_result, DROP COLUMN test_reason;
