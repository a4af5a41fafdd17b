-- +goose Up
-- Who changes for how long history is kept says which setting they have seen.
ALTER TABLE check_retention ADD COLUMN revision bigint NOT NULL DEFAULT 1, ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE check_retention DROP COLUMN revision, DROP COLUMN updated_at;
