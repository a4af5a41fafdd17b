-- name: CountNotes :one
SELECT count(*) FROM notes WHERE owner_kind = @owner_kind AND owner_id = @owner_id;

-- name: CreateNote :one
INSERT INTO notes (id, owner_kind, owner_id, message, status_change, visibility, author_kind, author_id, created_at)
VALUES (@id, @owner_kind, @owner_id, @message, @status_change, @visibility, @author_kind, @author_id,
        coalesce(sqlc.narg(created_at)::timestamptz, clock_timestamp()))
RETURNING *;

-- name: Note :one
SELECT * FROM notes
WHERE owner_kind = @owner_kind AND owner_id = @owner_id AND id = @id AND visibility = ANY (@audience::text[]);

-- name: LockNote :one
SELECT * FROM notes
WHERE owner_kind = @owner_kind AND owner_id = @owner_id AND id = @id AND visibility = ANY (@audience::text[])
FOR UPDATE;

-- name: Notes :many
-- Lists a page of the notes that an audience may see, newest first.
SELECT * FROM notes
WHERE owner_kind = @owner_kind AND owner_id = @owner_id AND visibility = ANY (@audience::text[])
  AND (created_at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @max_rows::integer;

-- name: EditsOfNotes :many
SELECT * FROM note_edits WHERE note_id = ANY (@ids::uuid[]) ORDER BY note_id, number;

-- name: CreateEdit :one
-- Keeps what a note was. Its number is that of the edit, from 1.
INSERT INTO note_edits (note_id, number, message, visibility, editor_kind, editor_id)
SELECT @note_id::uuid, coalesce(max(e.number), 0)::integer + 1, @message::text, @visibility::text, @editor_kind::text, @editor_id::uuid
FROM note_edits e WHERE e.note_id = @note_id::uuid
RETURNING number;

-- name: UpdateNote :one
UPDATE notes SET message = @message, visibility = @visibility, edited_at = clock_timestamp() WHERE id = @id RETURNING *;

-- name: DeleteNote :execrows
DELETE FROM notes
WHERE owner_kind = @owner_kind AND owner_id = @owner_id AND id = @id AND visibility = ANY (@audience::text[]);

-- name: DeleteNotesOf :exec
DELETE FROM notes WHERE owner_kind = @owner_kind AND owner_id = @owner_id;

-- name: CountLinks :one
SELECT count(*) FROM note_links WHERE owner_kind = @owner_kind AND owner_id = @owner_id;

-- name: CreateLink :many
-- Creates a link, nothing when the owner has one to this address.
INSERT INTO note_links (id, owner_kind, owner_id, label, url, visibility)
VALUES (@id, @owner_kind, @owner_id, @label, @url, @visibility)
ON CONFLICT (owner_kind, owner_id, url) DO NOTHING
RETURNING *;

-- name: LinksOf :many
SELECT * FROM note_links
WHERE owner_kind = @owner_kind AND owner_id = ANY (@owner_ids::uuid[]) AND visibility = ANY (@audience::text[])
ORDER BY created_at, id;

-- name: DeleteLink :execrows
DELETE FROM note_links
WHERE owner_kind = @owner_kind AND owner_id = @owner_id AND id = @id AND visibility = ANY (@audience::text[]);

-- name: DeleteLinksOf :exec
DELETE FROM note_links WHERE owner_kind = @owner_kind AND owner_id = @owner_id;
