-- +goose Up
-- When somebody has last signed in at the provider. Of who signs in nowhere else, no program acts for longer than a session without that.
ALTER TABLE auth_identities ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE auth_identities DROP COLUMN seen_at;
