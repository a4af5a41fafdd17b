-- name: ErasureCounts :one
SELECT (SELECT count(*) FROM ai_conversations c WHERE c.owner_id = @person_id) AS conversations,
       (SELECT count(*) FROM ai_messages m JOIN ai_conversations c ON c.id = m.conversation_id WHERE c.owner_id = @person_id) AS messages,
       (SELECT count(*) FROM ai_turns t JOIN ai_conversations c ON c.id = t.conversation_id WHERE c.owner_id = @person_id) AS turns,
       (SELECT count(*) FROM ai_proposals p WHERE p.principal_kind = 'user' AND p.principal_id = @person_id) AS proposals;

-- name: ConversationOwners :many
-- The owners of conversations or proposals, deleted accounts included, by their ids.
SELECT o.id, count(o.conversation)::bigint AS conversations
FROM (SELECT owner_id AS id, id AS conversation FROM ai_conversations WHERE kind = 'chat' AND owner_id > @after::uuid
      UNION ALL
      SELECT DISTINCT principal_id, NULL::uuid FROM ai_proposals WHERE principal_kind = 'user' AND principal_id > @after::uuid) o
GROUP BY o.id
ORDER BY o.id
LIMIT @max_rows;

-- name: CreateErasure :execrows
INSERT INTO ai_erasures (id, person_id, requested_by_kind, requested_by_id)
VALUES (@id, @person_id, @requested_by_kind, @requested_by_id)
ON CONFLICT (person_id) WHERE finished_at IS NULL DO NOTHING;

-- name: RunningErasure :one
SELECT * FROM ai_erasures WHERE person_id = $1 AND finished_at IS NULL;

-- name: ErasureByID :one
SELECT * FROM ai_erasures WHERE id = $1;

-- name: LockErasure :one
SELECT * FROM ai_erasures WHERE id = $1 FOR UPDATE;

-- name: Erasures :many
-- Newest first: ids are drawn in the order of time.
SELECT * FROM ai_erasures WHERE sqlc.narg(before)::uuid IS NULL OR id < sqlc.narg(before)::uuid ORDER BY id DESC LIMIT @max_rows;

-- name: UnfinishedErasures :many
SELECT id FROM ai_erasures WHERE finished_at IS NULL ORDER BY requested_at;

-- name: ArchiveForErasure :exec
-- Closes the person's conversations to new messages.
UPDATE ai_conversations SET archived_at = now() WHERE owner_id = @person_id AND archived_at IS NULL AND created_at <= @until;

-- name: StopForErasure :many
WITH stopped AS (
    UPDATE ai_turns t SET stop_requested_at = coalesce(t.stop_requested_at, now())
    FROM ai_conversations c
    WHERE t.conversation_id = c.id AND c.owner_id = @person_id AND c.created_at <= @until AND t.status IN ('pending', 'running')
    RETURNING t.id
)
SELECT id, pg_notify('turn_stops', id::text)::text FROM stopped;

-- name: ExpireForErasure :many
-- Ends the person's open proposals, and names those whose workflows may still run.
WITH ended AS (
    UPDATE ai_proposals p SET status = 'expired', finished_at = now()
    WHERE p.principal_kind = 'user' AND p.principal_id = @person_id AND p.created_at <= @until AND p.status = 'proposed'
    RETURNING p.id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'expired', finished_at = clock_timestamp() FROM ended WHERE c.id = ended.id
), notified AS (
    SELECT pg_notify('proposals', id::text) FROM ended
)
SELECT id, (SELECT count(*) FROM notified) AS told FROM ended
UNION ALL
SELECT p.id, 0 FROM ai_proposals p
WHERE p.principal_kind = 'user' AND p.principal_id = @person_id AND p.created_at <= @until
  AND p.status NOT IN ('proposed', 'applying') AND p.finished_at > now() - interval '1 hour';

-- name: PlansForErasure :many
-- Ended plans of the person whose workflows may still run. A plan that is being applied continues.
SELECT DISTINCT p.turn_id::uuid AS id FROM ai_proposals p
WHERE p.principal_kind = 'user' AND p.principal_id = @person_id AND p.created_at <= @until AND p.planned
  AND p.finished_at > now() - interval '1 hour'
  AND NOT EXISTS (SELECT 1 FROM ai_proposals o WHERE o.turn_id = p.turn_id AND o.status IN ('proposed', 'applying'));

-- name: ConversationsToErase :many
SELECT id FROM ai_conversations WHERE owner_id = @person_id AND created_at <= @until ORDER BY created_at, id LIMIT @max_rows;

-- name: AddErased :exec
UPDATE ai_erasures SET conversations = conversations + @conversations, messages = messages + @messages, turns = turns + @turns,
    proposals = proposals + @proposals WHERE id = @id;

-- name: EraseLooseProposals :execrows
-- Proposals that the person made outside of a conversation.
DELETE FROM ai_proposals p
WHERE p.principal_kind = 'user' AND p.principal_id = @person_id AND p.created_at <= @until AND p.status NOT IN ('proposed', 'applying');

-- name: OpenProposalsOf :one
SELECT count(*) FROM ai_proposals p
WHERE p.principal_kind = 'user' AND p.principal_id = @person_id AND p.created_at <= @until AND p.status IN ('proposed', 'applying');

-- name: FinishErasure :exec
UPDATE ai_erasures SET other = @other, proposals = proposals + @proposals, finished_at = now() WHERE id = @id AND finished_at IS NULL;
