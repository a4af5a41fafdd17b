-- +goose Up

-- By what way a change was asked for that waits for a decision: the audit log names it when the change is made. Empty for
-- what was proposed before, and for what a process of the version before proposes while both run.
ALTER TABLE ai_proposals ADD COLUMN transport text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN transport;
