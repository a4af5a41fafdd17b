-- name: LockOwned :one
-- Locks a conversation of the person; concurrent shares of it are serialized.
SELECT (c.archived_at IS NOT NULL)::boolean AS archived FROM ai_conversations c
WHERE c.id = @id AND c.owner_id = @owner_id FOR NO KEY UPDATE;

-- name: Owns :one
SELECT EXISTS (SELECT FROM ai_conversations c WHERE c.id = @id AND c.owner_id = @owner_id);

-- name: PersonByAddress :one
SELECT u.id, u.name FROM users u WHERE lower(u.email) = lower(@email::text) AND NOT u.disabled;

-- name: AddShare :execrows
INSERT INTO ai_shares (conversation_id, person_id) VALUES (@conversation_id, @person_id) ON CONFLICT DO NOTHING;

-- name: RemoveShare :execrows
DELETE FROM ai_shares WHERE conversation_id = @conversation_id AND person_id = @person_id;

-- name: SharesOf :many
SELECT s.person_id, u.name, u.email, s.created_at
FROM ai_shares s JOIN users u ON u.id = s.person_id
WHERE s.conversation_id = $1 ORDER BY lower(u.name), u.id;

-- name: SharedWith :many
-- Lists the conversations shared with a person, last shared first.
SELECT c.id, coalesce(c.title, '')::text AS title, c.owner_id, coalesce(o.name, '')::text AS owner_name, s.created_at, c.updated_at
FROM ai_shares s
JOIN ai_conversations c ON c.id = s.conversation_id
LEFT JOIN users o ON o.id = c.owner_id
WHERE s.person_id = @person_id AND c.archived_at IS NULL
  AND (sqlc.narg('after_id')::uuid IS NULL OR (s.created_at, s.conversation_id) < (@after_at::timestamptz, sqlc.narg('after_id')::uuid))
ORDER BY s.created_at DESC, s.conversation_id DESC LIMIT @max_rows::integer;

-- name: SharedOne :one
SELECT c.id, coalesce(c.title, '')::text AS title, c.owner_id, coalesce(o.name, '')::text AS owner_name, s.created_at, c.updated_at,
       EXISTS (SELECT FROM ai_turns t WHERE t.conversation_id = c.id AND t.status IN ('pending', 'running')) AS running
FROM ai_shares s
JOIN ai_conversations c ON c.id = s.conversation_id
LEFT JOIN users o ON o.id = c.owner_id
WHERE s.person_id = @person_id AND s.conversation_id = @id AND c.archived_at IS NULL;

-- name: SharedMessages :many
-- Lists messages after one of them, with the skill or agent of each.
SELECT m.id, m.position, m.role, m.parts, m.model_messages, m.created_at, coalesce(t.skill_id, '')::text AS skill_id, a.id AS agent_id
FROM ai_messages m
LEFT JOIN ai_turns t ON t.id = m.turn_id
LEFT JOIN agents a ON t.skill_id = 'agent/' || a.name_key
WHERE m.conversation_id = @conversation_id AND m.replaced_at IS NULL AND m.position > @after ORDER BY m.position LIMIT @max_rows::integer;

-- name: CountSharedMessages :one
SELECT count(*) FROM ai_messages m WHERE m.conversation_id = @conversation_id AND m.replaced_at IS NULL;

-- name: RecordsOf :many
-- Which of some ids are records with restricted visibility, including deleted ones, and which other existing ones were
-- ever related to them: a result can name these without an id. The number of relations per record is bounded.
SELECT DISTINCT e.object_type, e.object_id FROM ai_audit_entries e
WHERE e.version = 2 AND e.object_type = ANY (@types::text[]) AND e.object_id = ANY (@ids::text[])
UNION
SELECT DISTINCT r.object_type, r.object_id::text FROM relation_tuples r
WHERE r.object_type = ANY (@types::text[]) AND r.object_id = ANY (@uuids::uuid[])
UNION
SELECT DISTINCT e.object_type, e.object_id FROM ai_audit_entries e
WHERE e.version = 2 AND e.subject_type = ANY (@types::text[]) AND e.subject_id = ANY (@ids::text[]) AND e.object_type = ANY (@types::text[])
  AND e.object_id <> '' AND NOT EXISTS (SELECT FROM ai_audit_entries g
      WHERE g.version = 2 AND g.object_type = e.object_type AND g.object_id = e.object_id AND g.action = 'deleted')
UNION
SELECT DISTINCT e.subject_type, e.subject_id FROM ai_audit_entries e
WHERE e.version = 2 AND e.object_type = ANY (@types::text[]) AND e.object_id = ANY (@ids::text[]) AND e.subject_type = ANY (@types::text[])
  AND e.subject_id <> '' AND NOT EXISTS (SELECT FROM ai_audit_entries g
      WHERE g.version = 2 AND g.object_type = e.subject_type AND g.object_id = e.subject_id AND g.action = 'deleted')
LIMIT @max_rows::integer;

-- name: CountWith :one
SELECT count(*) FROM ai_shares WHERE person_id = $1;

-- name: EraseWith :execrows
DELETE FROM ai_shares WHERE person_id = $1;
