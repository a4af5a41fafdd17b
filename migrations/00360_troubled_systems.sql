-- +goose Up
-- Whether a system has been degraded or unhealthy and not healthy since, so that it is announced as healthy again also when one
-- of its checks was unknown meanwhile.
ALTER TABLE check_system_states ADD COLUMN troubled boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE check_system_states DROP COLUMN troubled;
