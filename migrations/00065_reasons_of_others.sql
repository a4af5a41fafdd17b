-- +goose Up
-- The reason that somebody else gave for a decision is content that the person of a conversation has not written.
ALTER TABLE ai_taints DROP CONSTRAINT ai_taints_kind_check;
ALTER TABLE ai_taints ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision'));

-- +goose Down
DELETE FROM ai_taints t USING ai_taints o
WHERE t.kind = 'decision' AND o.kind = 'earlier' AND o.conversation_id = t.conversation_id AND o.accepted_at IS NULL AND t.accepted_at IS NULL;
DELETE FROM ai_taints t USING ai_taints o
WHERE t.kind = 'decision' AND o.kind = 'decision' AND o.conversation_id = t.conversation_id AND o.seq > t.seq AND o.accepted_at IS NULL AND t.accepted_at IS NULL;
UPDATE ai_taints SET kind = 'earlier', source = '' WHERE kind = 'decision';
ALTER TABLE ai_taints DROP CONSTRAINT ai_taints_kind_check;
ALTER TABLE ai_taints ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier'));
