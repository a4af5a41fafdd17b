-- name: Hold :exec
-- One save of an owner at a time: each looks for what it resembles, and counts. One of a system at a time, so that none
-- slips in while the system is deleted.
SELECT pg_advisory_xact_lock(hashtextextended('ai_memory:' || @id::text, 0));

-- name: CountOfOwner :one
SELECT count(*) FROM ai_memory WHERE owner_id = $1;

-- name: Hints :many
SELECT id, recall_hint FROM ai_memory
WHERE owner_id = @owner_id AND scope = @scope AND system_id IS NOT DISTINCT FROM sqlc.narg(system_id)::uuid
ORDER BY updated_at DESC, id DESC;

-- name: Insert :exec
INSERT INTO ai_memory (id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject,
                       source_conversation_id, outside, folded, words)
VALUES (@id, @owner_id, @owner_name, @scope, sqlc.narg(system_id), @recall_hint, @content, @tags, @always_inject,
        sqlc.narg(source_conversation_id), @outside, @folded,
        setweight(to_tsvector('simple', @hint_words::text), 'A') || setweight(to_tsvector('simple', @tag_words::text), 'B')
            || setweight(to_tsvector('simple', @content_words::text), 'D'));

-- name: Update :exec
UPDATE ai_memory
SET owner_name = @owner_name, recall_hint = @recall_hint, content = @content, tags = @tags, always_inject = @always_inject,
    source_conversation_id = sqlc.narg(source_conversation_id), editor_id = sqlc.narg(editor_id), editor_name = sqlc.narg(editor_name),
    outside = @outside, folded = @folded,
    words = setweight(to_tsvector('simple', @hint_words::text), 'A') || setweight(to_tsvector('simple', @tag_words::text), 'B')
        || setweight(to_tsvector('simple', @content_words::text), 'D'),
    revision = revision + 1, updated_at = now()
WHERE id = @id;

-- name: SetAlwaysInject :exec
UPDATE ai_memory SET always_inject = @always_inject, outside = @outside, revision = revision + 1, updated_at = now() WHERE id = @id;

-- name: Delete :execrows
DELETE FROM ai_memory WHERE id = $1;

-- name: DeleteOfSystem :exec
DELETE FROM ai_memory WHERE system_id = @system_id::uuid;

-- name: Memory :one
SELECT id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject, source_conversation_id,
       editor_id, editor_name, outside, revision, created_at, updated_at, 0::float8 AS rank
FROM ai_memory WHERE id = $1;

-- name: LockMemory :one
SELECT id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject, source_conversation_id,
       editor_id, editor_name, outside, revision, created_at, updated_at, 0::float8 AS rank
FROM ai_memory WHERE id = $1 FOR NO KEY UPDATE;

-- name: Memories :many
-- A page of what a person may see, best first, newest first among equals. @search is a text-search query, @phrase a folded
-- text to find as it is. @few says that grants open few systems to the person, and no rule any: their memories are
-- looked up by the system. It is a matter of speed alone, as is the comparison of times on a page of all memories.
SELECT id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject, source_conversation_id,
       editor_id, editor_name, outside, revision, created_at, updated_at, found.rank::float8 AS rank
FROM (
    SELECT *, CASE WHEN @search::text = '' THEN 0 ELSE ts_rank(words, to_tsquery('simple', @search), 1)::float8 END AS rank
    FROM ai_memory m
    WHERE (@scope::text = '' OR m.scope = @scope)
      AND (sqlc.narg(system_id)::uuid IS NULL OR m.system_id = sqlc.narg(system_id))
      AND (@search = '' OR m.words @@ to_tsquery('simple', @search))
      AND (@phrase::text = '' OR strpos(m.folded, @phrase) > 0)
      AND (NOT @continued::boolean OR @search <> '' OR m.updated_at <= @after_time::timestamptz)
      AND ((m.owner_id = @reader_id AND m.scope = 'user')
           OR ((NOT @few::boolean OR m.system_id = ANY (ARRAY(SELECT g FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) g)))
               AND m.scope = 'system' AND EXISTS (SELECT FROM access_opens(@object_type, m.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))))
) found
WHERE (NOT @continued OR (found.rank, found.updated_at, found.id) < (@after_rank::float8, @after_time, @after_id::uuid))
ORDER BY found.rank DESC, found.updated_at DESC, found.id DESC
LIMIT @max_rows::integer;

-- name: Injected :many
SELECT recall_hint, content, system_id, outside, revision FROM ai_memory m
WHERE m.owner_id = @owner_id AND m.always_inject
  AND (m.scope = 'user' OR EXISTS (SELECT FROM access_opens(@object_type, m.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY m.updated_at DESC, m.id DESC
LIMIT @max_rows::integer;

-- name: DeleteOfOwner :execrows
DELETE FROM ai_memory WHERE owner_id = $1;

-- name: ForgetEditor :exec
UPDATE ai_memory SET editor_name = @gone WHERE editor_id = sqlc.narg(editor_id);
