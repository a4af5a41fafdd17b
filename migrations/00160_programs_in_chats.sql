-- +goose Up
-- What a program has sent in a person's name is not their word: it is kept with the conversation as content from outside.
ALTER TABLE ai_taints
    DROP CONSTRAINT ai_taints_kind_check,
    ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision', 'written', 'program'));

-- Conversations in which programs have spoken so far are those that have branches.
INSERT INTO ai_taints (conversation_id, kind, source)
SELECT DISTINCT b.conversation_id, 'program', 'a program' FROM ai_branches b;

-- +goose Down
DELETE FROM ai_taints WHERE kind = 'program';
ALTER TABLE ai_taints
    DROP CONSTRAINT ai_taints_kind_check,
    ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision', 'written'));
