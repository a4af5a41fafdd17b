-- name: LesserAuthors :many
-- Record texts by authors who lack any of the rights of the reader.
SELECT l.object_id::uuid AS object_id, l.object_type::text AS object_type, l.author_id::uuid AS author_id,
       l.name::text AS name, l.written_at::timestamptz AS written_at
FROM lesser_authors(@object_ids::uuid[], @reader_kind::text, @reader_id::uuid, @reader_rules::text[],
    @reader_team_ids::uuid[], @default_role::uuid)
    AS l(object_id, object_type, author_id, name, written_at);

-- name: ApplicationAuthors :many
-- The applications that have written in these records.
SELECT a.object_id, a.author_id, coalesce(p.name, '')::text AS name, max(a.written_at)::timestamptz AS written_at
FROM ai_audit_authors a LEFT JOIN applications p ON p.id = a.author_id
WHERE a.object_id = ANY(@object_ids::uuid[]) AND a.author_kind = 'application'
GROUP BY a.object_id, a.author_id, p.name
ORDER BY name, a.author_id;
