-- +goose Up
-- None of those whom the step names may see the incident: it reached nobody, and the next one followed at once.
ALTER TABLE oncall_calls ADD COLUMN is_hidden boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE oncall_calls DROP COLUMN is_hidden;
