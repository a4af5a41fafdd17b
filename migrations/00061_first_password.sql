-- +goose Up
-- Set with a password that somebody else has chosen or seen: nothing else is served until the person has changed it.
ALTER TABLE users ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE users DROP COLUMN must_change_password;
