-- name: Retention :one
SELECT enabled, archived_days, idle_days, revision, updated_at, updated_by, swept_at, deleted FROM ai_retention;

-- name: SetRetention :execrows
UPDATE ai_retention
SET enabled = @enabled, archived_days = @archived_days, idle_days = @idle_days, revision = revision + 1,
    updated_at = now(), updated_by = @updated_by
WHERE sqlc.narg('based')::bigint IS NULL OR revision = sqlc.narg('based')::bigint;

-- name: LockRetention :exec
SELECT pg_advisory_xact_lock(hashtextextended('countersign.retention', 0));

-- name: DueConversations :many
-- Conversations whose retention period is over by the current setting.
SELECT c.id FROM ai_conversations c, ai_retention r
WHERE r.enabled AND c.kind = 'chat'
  AND (c.archived_at < now() - make_interval(days => r.archived_days) OR c.updated_at < now() - make_interval(days => r.idle_days))
  AND NOT EXISTS (SELECT 1 FROM ai_turns t WHERE t.conversation_id = c.id AND t.status IN ('pending', 'running'))
  AND NOT EXISTS (SELECT 1 FROM ai_proposals p WHERE p.conversation_id = c.id AND p.status IN ('proposed', 'applying'))
LIMIT @max_rows;

-- name: LockDueConversation :one
-- Checks again under the row lock: the person may have continued it, or the setting may have changed.
SELECT c.id FROM ai_conversations c, ai_retention r
WHERE c.id = @id AND r.enabled AND c.kind = 'chat'
  AND (c.archived_at < now() - make_interval(days => r.archived_days) OR c.updated_at < now() - make_interval(days => r.idle_days))
FOR UPDATE OF c;

-- name: Swept :exec
UPDATE ai_retention SET swept_at = now(), deleted = deleted + @deleted;

-- name: LockConversation :one
SELECT id FROM ai_conversations WHERE id = $1 FOR UPDATE;

-- name: ConversationBusy :one
-- Whether a locked conversation has running work; no turn can start while it is locked.
SELECT (EXISTS (SELECT 1 FROM ai_turns t WHERE t.conversation_id = @id AND t.status IN ('pending', 'running'))
     OR EXISTS (SELECT 1 FROM ai_proposals p WHERE p.conversation_id = @id AND p.status IN ('proposed', 'applying')))::boolean AS busy;

-- name: DeleteConversation :one
-- Deletes a conversation with everything in it. The audit rows of its tool calls stay: they hold no content.
WITH turns AS (
    SELECT t.id FROM ai_turns t WHERE t.conversation_id = @id
), events AS (
    DELETE FROM turn_events e USING turns WHERE e.turn_id = turns.id
), steps AS (
    DELETE FROM turn_steps s USING turns WHERE s.turn_id = turns.id
), proposals AS (
    DELETE FROM ai_proposals p WHERE p.conversation_id = @id RETURNING p.id
), gone AS (
    DELETE FROM ai_conversations c WHERE c.id = @id RETURNING c.id
)
SELECT (SELECT count(*) FROM gone) AS conversations, (SELECT count(*) FROM ai_messages m WHERE m.conversation_id = @id) AS messages,
       (SELECT count(*) FROM turns) AS turns, (SELECT count(*) FROM proposals) AS proposals;

-- name: EmptyConversations :many
-- Conversations without messages that are unchanged for that long; oldest first.
SELECT c.id FROM ai_conversations c
WHERE c.title IS NULL AND c.updated_at < now() - make_interval(hours => @hours::int)
  AND NOT EXISTS (SELECT 1 FROM ai_turns t WHERE t.conversation_id = c.id)
  AND NOT EXISTS (SELECT 1 FROM ai_messages m WHERE m.conversation_id = c.id)
ORDER BY c.updated_at
LIMIT @max_rows;

-- name: DeleteEmpty :execrows
-- Deletes a conversation whose row is locked, unless it has messages.
DELETE FROM ai_conversations c
WHERE c.id = @id AND c.title IS NULL
  AND NOT EXISTS (SELECT 1 FROM ai_turns t WHERE t.conversation_id = c.id)
  AND NOT EXISTS (SELECT 1 FROM ai_messages m WHERE m.conversation_id = c.id);
