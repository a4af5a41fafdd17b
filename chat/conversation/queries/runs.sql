-- name: CreateRunConversation :execrows
-- A repeated start finds its conversation.
INSERT INTO ai_conversations (id, owner_id, kind, connection_id, model, permission_mode)
VALUES (@id, @run_id, 'run', @connection_id::uuid, @model::text, @permission_mode)
ON CONFLICT (id) DO NOTHING;

-- name: DueRunConversations :many
-- Conversations of runs that have ended long enough ago.
SELECT c.id FROM runs r JOIN ai_conversations c ON c.owner_id = r.id AND c.kind = 'run' AND c.archived_at IS NULL
WHERE r.kept_until < now() ORDER BY r.kept_until LIMIT @max_rows;
