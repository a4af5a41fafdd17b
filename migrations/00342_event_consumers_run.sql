-- +goose Up
-- When a process last said that it runs the consumer. One that this version does not have is removed some time after that, with its
-- lanes, which would keep events otherwise. The version before does not say it, and has no consumer that this one lacks.
ALTER TABLE event_consumers ADD COLUMN run_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE event_consumers DROP COLUMN run_at;
