-- name: LesserAuthors :many
-- What stands in these records and was written by somebody who does not hold all that the reader holds.
SELECT l.object_id::uuid AS object_id, l.object_type::text AS object_type, l.author_id::uuid AS author_id, l.name::text AS name, l.written_at::timestamptz AS written_at
FROM lesser_authors(@object_ids::uuid[], @reader_kind::text, @reader_id::uuid, @reader_rules::text[], @reader_team_ids::uuid[], @default_role::uuid)
    AS l(object_id, object_type, author_id, name, written_at);
