-- +goose Up
-- Answers of a model whose connection a less-privileged user has changed are content from outside.
ALTER TABLE ai_taints
    DROP CONSTRAINT ai_taints_kind_check,
    ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision', 'written', 'program', 'connection')) NOT VALID;

-- +goose Down
DELETE FROM ai_taints WHERE kind = 'connection';
ALTER TABLE ai_taints
    DROP CONSTRAINT ai_taints_kind_check,
    ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision', 'written', 'program'));
