-- +goose Up

-- Through which connected program a change was asked for: its id as an OAuth client. NULL for what a person
-- or an application asked for themselves, and for what was proposed before.
ALTER TABLE ai_proposals ADD COLUMN program_id text;

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN program_id;
