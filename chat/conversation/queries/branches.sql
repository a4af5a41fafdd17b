-- name: FindBranch :one
-- The conversation that goes furthest along what a client says that the person has asked, and the person's message that stands
-- behind the last one of it that is known: "" when none does. Of several the one with the client's answer, then one in which nothing has come since.
-- Where no conversation is named, only what one sign-in has sent is known, NULL for any: the turn of a message says which one that
-- was. others says that something stands behind it that came by another way.
WITH asked AS (
    SELECT generate_subscripts(@asked::bytea[], 1) AS place, unnest(@asked::bytea[]) AS asked, unnest(@answered::bytea[]) AS answered
), known AS (
    SELECT a.place, b.conversation_id, b.at, m.position, coalesce(b.answer_hash = a.answered, false) AS same
    FROM asked a
    JOIN ai_branches b ON b.owner_id = @owner_id AND b.asked_hash = a.asked
    JOIN ai_messages m ON m.conversation_id = b.conversation_id AND m.id = b.message_id AND m.replaced_at IS NULL
    JOIN ai_conversations c ON c.id = b.conversation_id AND c.archived_at IS NULL
    WHERE (sqlc.narg('within')::uuid IS NULL OR b.conversation_id = sqlc.narg('within')::uuid)
      AND (sqlc.narg('session')::uuid IS NULL OR EXISTS (SELECT FROM ai_turns t WHERE t.id = m.turn_id AND t.session_id = sqlc.narg('session')::uuid))
)
SELECT k.conversation_id, k.place::int AS place, coalesce(n.id, '')::text AS next_id, coalesce(n.content, '')::text AS next_content,
       (sqlc.narg('session')::uuid IS NOT NULL AND EXISTS (
           SELECT FROM ai_messages m
           WHERE m.conversation_id = k.conversation_id AND m.role = 'user' AND m.replaced_at IS NULL AND m.position > k.position
             AND NOT EXISTS (SELECT FROM ai_turns t WHERE t.id = m.turn_id AND t.session_id = sqlc.narg('session')::uuid)))::boolean AS others
FROM known k
LEFT JOIN LATERAL (
    SELECT m.id, m.content FROM ai_messages m
    WHERE m.conversation_id = k.conversation_id AND m.role = 'user' AND m.replaced_at IS NULL AND m.position > k.position
    ORDER BY m.position LIMIT 1
) n ON true
ORDER BY k.place DESC, k.same DESC, (n.id IS NULL) DESC, k.at DESC
LIMIT 1;

-- name: KeepBranch :exec
INSERT INTO ai_branches (conversation_id, message_id, owner_id, asked_hash)
VALUES (@conversation_id, @message_id, @owner_id, @asked_hash)
ON CONFLICT (conversation_id, message_id) DO UPDATE SET asked_hash = excluded.asked_hash, answer_hash = NULL, at = now();

-- name: KeepAnswer :exec
UPDATE ai_branches SET answer_hash = @answer_hash WHERE conversation_id = @conversation_id AND message_id = @message_id;
