-- +goose Up
ALTER TABLE notify_deliveries
    -- An attempt may have arrived although a later one follows, so that a recovery goes there.
    ADD COLUMN is_uncertain boolean NOT NULL DEFAULT false,
    -- Each attempt with its end: at, result, reason.
    ADD COLUMN tries jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE notify_deliveries DROP COLUMN tries, DROP COLUMN is_uncertain;
