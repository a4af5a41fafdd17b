-- +goose Up
-- What a model is told of a live tool was written in its revision: by whoever wrote that tool, in this revision or in the one that its
-- bundle was copied from. Of revisions from before, everybody counts who has written in the agent.
INSERT INTO ai_audit_authors (object_id, object_type, part, author_kind, author_id, written_at)
SELECT r.id, 'agent.revision', 'tool ' || t.id, a.author_kind, a.author_id, max(a.written_at)
FROM agent_revisions r JOIN agent_tools t ON t.revision_id = r.id JOIN ai_audit_authors a ON a.object_id = r.agent_id AND a.object_type = 'agent.agent'
GROUP BY r.id, t.id, a.author_kind, a.author_id
ON CONFLICT DO NOTHING;

-- +goose Down
DELETE FROM ai_audit_authors WHERE object_type = 'agent.revision';
