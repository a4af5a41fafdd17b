-- +goose Up
-- The oldest part of a long conversation, as the model is shown it: a summary of every message up to a position.
ALTER TABLE ai_conversations
    ADD COLUMN summary            text,
    ADD COLUMN summarized_through bigint,
    ADD CONSTRAINT ai_conversations_summary CHECK ((summary IS NULL) = (summarized_through IS NULL));

-- The skill that the person had active when they sent the message.
ALTER TABLE ai_turns ADD COLUMN skill_id text;

-- +goose Down
ALTER TABLE ai_turns DROP COLUMN skill_id;
ALTER TABLE ai_conversations DROP COLUMN summary, DROP COLUMN summarized_through;
