-- +goose Up
-- What a principal and its teams hold on any object of a type is asked with every request: one probe for each relation.
CREATE INDEX relation_tuples_held ON relation_tuples (subject_type, subject_id, object_type, relation);

-- What somebody wants to be remembered is decided by them alone: the tools of memories can have no second person.
UPDATE ai_tool_policies SET two_person = false, always_confirm = true
WHERE two_person AND tool_name IN ('ai.saveMemory', 'ai.deleteMemory');
UPDATE ai_proposals SET two_person = false
WHERE two_person AND status = 'proposed' AND tool_name IN ('ai.saveMemory', 'ai.deleteMemory');

-- +goose Down
DROP INDEX relation_tuples_held;
