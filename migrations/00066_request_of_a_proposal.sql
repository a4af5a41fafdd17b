-- +goose Up
ALTER TABLE ai_proposals
    -- What the person asked in the turn that made the proposal, and what the assistant said in it before: excerpts for whoever
    -- has to decide as a second person. They go with the proposal, which goes with its conversation.
    ADD COLUMN asked    text NOT NULL DEFAULT '' CHECK (length(asked) <= 2000),
    ADD COLUMN answered text NOT NULL DEFAULT '' CHECK (length(answered) <= 2000);

-- +goose Down
ALTER TABLE ai_proposals DROP COLUMN asked, DROP COLUMN answered;
