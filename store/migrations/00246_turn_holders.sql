-- +goose Up
-- Which process holds a turn, by the key of the lock that it has in the database as long as it lives, and with which claim: a process of the
-- version before raises the claim and leaves the rest as it is.
ALTER TABLE ai_turns ADD COLUMN held_by bigint, ADD COLUMN held_claim integer;

-- +goose Down
ALTER TABLE ai_turns DROP COLUMN held_by, DROP COLUMN held_claim;
