-- name: CountConversations :one
SELECT count(*) FROM ai_conversations WHERE owner_id = @owner_id;

-- name: CreateConversation :one
INSERT INTO ai_conversations (id, owner_id, title, connection_id, model, permission_mode)
VALUES (@id, @owner_id, @title, @connection_id, @model, @permission_mode)
RETURNING *;

-- name: CreateClientConversation :one
-- No row comes back when the person has a conversation of this name.
INSERT INTO ai_conversations (id, owner_id, permission_mode, client_id)
VALUES (@id, @owner_id, @permission_mode, @client_id)
ON CONFLICT (owner_id, client_id) WHERE client_id IS NOT NULL DO NOTHING
RETURNING *;

-- name: LockDrafts :exec
-- Serializes the reuse of a draft per person.
SELECT pg_advisory_xact_lock(hashtextextended('drafts/' || @owner_id::text, 0));

-- name: ReuseDraft :one
-- Makes the person's latest conversation without a title and without a turn look like a new one.
UPDATE ai_conversations
SET connection_id = @connection_id, model = @model, permission_mode = @permission_mode, title = @title, updated_at = now()
WHERE id = (
    SELECT c.id FROM ai_conversations c
    WHERE c.owner_id = @owner_id AND c.archived_at IS NULL AND c.title IS NULL AND c.client_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM ai_turns t WHERE t.conversation_id = c.id)
      AND NOT EXISTS (SELECT 1 FROM ai_messages m WHERE m.conversation_id = c.id)
    ORDER BY c.updated_at DESC, c.id
    LIMIT 1
)
RETURNING *;

-- name: ConversationsByOwner :many
SELECT sqlc.embed(c), t.id AS active_turn_id
FROM ai_conversations c
LEFT JOIN ai_turns t ON t.conversation_id = c.id AND t.status IN ('pending', 'running')
WHERE c.owner_id = @owner_id AND c.archived_at IS NULL
  AND c.updated_at <= @before AND (c.updated_at < @before OR c.id > @after)
ORDER BY c.updated_at DESC, c.id
LIMIT @max;

-- name: ArchivedConversationsByOwner :many
SELECT sqlc.embed(c), t.id AS active_turn_id
FROM ai_conversations c
LEFT JOIN ai_turns t ON t.conversation_id = c.id AND t.status IN ('pending', 'running')
WHERE c.owner_id = @owner_id AND c.archived_at IS NOT NULL
  AND c.archived_at <= @before AND (c.archived_at < @before OR c.id > @after)
ORDER BY c.archived_at DESC, c.id
LIMIT @max;

-- name: ConversationByOwner :one
SELECT sqlc.embed(c), t.id AS active_turn_id
FROM ai_conversations c
LEFT JOIN ai_turns t ON t.conversation_id = c.id AND t.status IN ('pending', 'running')
WHERE c.id = $1 AND c.owner_id = $2;

-- name: ConversationByClient :one
SELECT sqlc.embed(c), t.id AS active_turn_id
FROM ai_conversations c
LEFT JOIN ai_turns t ON t.conversation_id = c.id AND t.status IN ('pending', 'running')
WHERE c.owner_id = @owner_id AND c.client_id = @client_id::text;

-- name: UpdateConversation :execrows
UPDATE ai_conversations
SET title = coalesce(sqlc.narg('title'), title), connection_id = coalesce(sqlc.narg('connection_id'), connection_id),
    model = coalesce(sqlc.narg('model'), model), permission_mode = coalesce(sqlc.narg('permission_mode'), permission_mode),
    updated_at = now()
WHERE id = @id AND owner_id = @owner_id AND archived_at IS NULL;

-- name: ArchiveConversation :execrows
UPDATE ai_conversations SET archived_at = now() WHERE id = $1 AND owner_id = $2 AND archived_at IS NULL;

-- name: RestoreConversation :execrows
UPDATE ai_conversations SET archived_at = NULL, updated_at = now() WHERE id = $1 AND owner_id = $2 AND archived_at IS NOT NULL;

-- name: SendWithheldContent :execrows
-- Lets later requests hold again what models have refused to read.
DELETE FROM ai_withheld_content w USING ai_conversations c
WHERE w.conversation_id = @id AND c.id = w.conversation_id AND c.owner_id = @owner_id;

-- name: ConversationIDsByOwner :many
SELECT id FROM ai_conversations WHERE owner_id = $1 ORDER BY created_at, id;

-- name: MessagesByConversation :many
SELECT id, role, parts, metadata, created_at FROM ai_messages WHERE conversation_id = $1 AND replaced_at IS NULL ORDER BY position;

-- name: MessageByID :one
SELECT id, role, parts, metadata FROM ai_messages WHERE conversation_id = $1 AND id = $2;

-- name: MessagesBefore :many
-- The newest rows of MessagesByConversation, or those before a position; latest first.
SELECT position, id, role, parts, metadata FROM ai_messages
WHERE conversation_id = @conversation_id AND replaced_at IS NULL AND position < @before::bigint
ORDER BY position DESC LIMIT @max_rows;

-- name: MessagesAfter :many
-- A page of MessagesByConversation.
SELECT position, id, role, parts, metadata, created_at FROM ai_messages
WHERE conversation_id = @conversation_id AND replaced_at IS NULL AND position > @after::bigint
ORDER BY position LIMIT @max_rows;
