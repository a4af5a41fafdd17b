-- name: Hold :exec
-- Serializes saves of an owner, which compare and count, and of a system, so that none is added while the system is
-- deleted.
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

-- name: DeleteOfSystem :many
DELETE FROM ai_memory WHERE system_id = @system_id::uuid RETURNING id;

-- name: Memory :one
SELECT id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject, source_conversation_id,
       editor_id, editor_name, outside, revision, created_at, updated_at, 0::float8 AS rank
FROM ai_memory WHERE id = $1;

-- name: LockMemory :one
SELECT id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject, source_conversation_id,
       editor_id, editor_name, outside, revision, created_at, updated_at, 0::float8 AS rank
FROM ai_memory WHERE id = $1 FOR NO KEY UPDATE;

-- name: Memories :many
-- Lists a page of visible memories, newest first: the person's own and those on systems. @source selects the latter:
-- 'newest' are all in order, at most @depth (null: all); 'grants' and 'few' those on granted systems, read by system,
-- for a caller without the rule; 'many' the same in order by a hash join; 'system' those of @system_id. The planner
-- drops the other branches.
SELECT m.id, m.owner_id, m.owner_name, m.scope, m.system_id, m.recall_hint, m.content, m.tags, m.always_inject, m.source_conversation_id,
       m.editor_id, m.editor_name, m.outside, m.revision, m.created_at, m.updated_at, 0::float8 AS rank
FROM (
    (SELECT o.id, o.updated_at FROM ai_memory o
     WHERE @own::boolean AND o.owner_id = @reader_id AND o.scope = 'user'
       AND (NOT @continued::boolean OR (o.updated_at, o.id) < (@after_time::timestamptz, @after_id::uuid))
     ORDER BY o.updated_at DESC, o.id DESC LIMIT @max_rows)
    UNION ALL
    (SELECT n.id, n.updated_at
     FROM (SELECT a.id, a.updated_at, a.system_id FROM ai_memory a
           WHERE @source::text = 'newest' AND a.system_id IS NOT NULL
             AND (NOT @continued OR (a.updated_at, a.id) < (@after_time, @after_id))
           ORDER BY a.updated_at DESC, a.id DESC LIMIT sqlc.narg(depth)::bigint) n
     WHERE EXISTS (SELECT FROM access_opens(@object_type, n.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
     LIMIT @max_rows)
    UNION ALL
    (SELECT g.id, g.updated_at FROM ai_memory g
     WHERE @source IN ('grants', 'few') AND g.system_id IS NOT NULL AND (NOT @continued OR (g.updated_at, g.id) < (@after_time, @after_id))
       AND g.system_id = ANY (ARRAY(SELECT r FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) r))
     ORDER BY g.updated_at DESC, g.id DESC LIMIT @max_rows)
    UNION ALL
    (SELECT h.id, h.updated_at FROM ai_memory h
     WHERE @source = 'many' AND h.system_id IS NOT NULL AND (NOT @continued OR (h.updated_at, h.id) < (@after_time, @after_id))
       -- IS TRUE prevents a join: the systems are hashed once, and the order of the memories is kept.
       AND (h.system_id IN (SELECT r FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) r)) IS TRUE
     ORDER BY h.updated_at DESC, h.id DESC LIMIT @max_rows)
    UNION ALL
    (SELECT t.id, t.updated_at FROM ai_memory t
     WHERE @source = 'system' AND t.system_id = sqlc.narg(system_id)::uuid
       AND (NOT @continued OR (t.updated_at, t.id) < (@after_time, @after_id))
       AND EXISTS (SELECT FROM access_opens(@object_type, t.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
     ORDER BY t.updated_at DESC, t.id DESC LIMIT @max_rows)
) c JOIN ai_memory m ON m.id = c.id
ORDER BY c.updated_at DESC, c.id DESC
LIMIT @max_rows::integer;

-- name: Search :many
-- Searches memories of @source, best first, newest first among equals. @search is a text-search query; @pattern a
-- LIKE pattern for the folded text. OFFSET 0 keeps the visibility check of 'newest' after the order, so it runs until
-- the page is full. 'grants' are hashed, as most hits are on other systems; 'few' reads the memories of few systems.
SELECT m.id, m.owner_id, m.owner_name, m.scope, m.system_id, m.recall_hint, m.content, m.tags, m.always_inject, m.source_conversation_id,
       m.editor_id, m.editor_name, m.outside, m.revision, m.created_at, m.updated_at, c.rank::float8 AS rank
FROM (
    SELECT b.*
    FROM (
        SELECT f.id, f.system_id, f.updated_at,
               CASE WHEN @search::text = '' THEN 0 ELSE ts_rank(f.words, to_tsquery('simple', @search), 1)::float8 END AS rank
        FROM (
            SELECT o.id, o.system_id, o.updated_at, o.words FROM ai_memory o
            WHERE @own::boolean AND o.owner_id = @reader_id AND o.scope = 'user'
              AND (@search = '' OR o.words @@ to_tsquery('simple', @search)) AND (@pattern::text = '' OR o.folded COLLATE "C" LIKE @pattern)
            UNION ALL
            SELECT n.id, CASE WHEN @source::text <> 'grants' THEN n.system_id END, n.updated_at, n.words FROM ai_memory n
            WHERE @source IN ('newest', 'grants', 'system') AND n.system_id IS NOT NULL
              AND (sqlc.narg(system_id)::uuid IS NULL OR n.system_id = sqlc.narg(system_id))
              AND (@source <> 'grants'
                   OR n.system_id IN (SELECT r FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) r))
              AND (@search = '' OR n.words @@ to_tsquery('simple', @search)) AND (@pattern = '' OR n.folded COLLATE "C" LIKE @pattern)
            UNION ALL
            SELECT g.id, NULL, g.updated_at, g.words FROM ai_memory g
            WHERE @source = 'few'
              AND g.system_id IN (SELECT r FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) r)
              AND (@search = '' OR g.words @@ to_tsquery('simple', @search)) AND (@pattern = '' OR g.folded COLLATE "C" LIKE @pattern)
        ) f
    ) b
    WHERE NOT @continued::boolean OR (b.rank, b.updated_at, b.id) < (@after_rank::float8, @after_time::timestamptz, @after_id::uuid)
    ORDER BY b.rank DESC, b.updated_at DESC, b.id DESC
    OFFSET 0
) c JOIN ai_memory m ON m.id = c.id
-- A row without a system is the person's own, or was decided by its grant.
WHERE c.system_id IS NULL OR EXISTS (
    SELECT FROM access_opens(@object_type, c.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY c.rank DESC, c.updated_at DESC, c.id DESC
LIMIT @max_rows::integer;

-- name: Injected :many
SELECT recall_hint, content, system_id, outside, revision FROM ai_memory m
WHERE m.owner_id = @owner_id AND m.always_inject
  AND (m.scope = 'user' OR EXISTS (
      SELECT FROM access_opens(@object_type, m.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY m.updated_at DESC, m.id DESC
LIMIT @max_rows::integer;

-- name: DeleteOfOwner :many
DELETE FROM ai_memory WHERE owner_id = $1 RETURNING id;

-- name: ForgetEditor :exec
UPDATE ai_memory SET editor_name = @gone WHERE editor_id = sqlc.narg(editor_id);
