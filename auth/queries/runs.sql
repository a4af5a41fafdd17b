-- name: OpenRun :execrows
-- Opens a run of an application that may act, with a definition revision that is not revoked; a repeat finds its row.
INSERT INTO runs (id, application_id, definition_kind, definition_id, revision, author_id, policy, token_cap)
SELECT @id, a.id, @definition_kind, @definition_id, @revision, @author_id::uuid, @policy, sqlc.narg('token_cap')
FROM applications a
WHERE a.id = @application_id AND NOT a.disabled
  AND NOT EXISTS (SELECT FROM run_revocations v WHERE v.definition_id = @definition_id AND v.revision = @revision)
ON CONFLICT (id) DO NOTHING;

-- name: RunByID :one
SELECT * FROM runs WHERE id = $1;

-- name: EndRun :execrows
UPDATE runs SET ended_at = now(), kept_until = now() + make_interval(secs => @kept_seconds::float8)
WHERE id = @id AND ended_at IS NULL;

-- name: RevokeRevision :execrows
INSERT INTO run_revocations (definition_id, revision) VALUES (@definition_id, @revision) ON CONFLICT DO NOTHING;

-- name: RevisionIsRevoked :one
SELECT EXISTS (SELECT FROM run_revocations WHERE definition_id = @definition_id AND revision = @revision);

-- name: EndStoppedRuns :execrows
-- Ends runs that can never act again, so that nothing of them is kept for good: their application is deleted, or the
-- revision of their definition is revoked.
UPDATE runs SET ended_at = now(), kept_until = now() + make_interval(secs => @kept_seconds::float8)
WHERE ended_at IS NULL AND id IN (
    SELECT r.id FROM runs r
    WHERE r.ended_at IS NULL
      AND (NOT EXISTS (SELECT FROM applications a WHERE a.id = r.application_id)
           OR EXISTS (SELECT FROM run_revocations v WHERE v.definition_id = r.definition_id AND v.revision = r.revision))
    LIMIT @max_rows);

-- name: DeleteKeptRuns :execrows
-- Deletes runs that nobody keeps any more, once their conversations are deleted.
DELETE FROM runs WHERE id IN (
    SELECT r.id FROM runs r
    WHERE r.kept_until < now() AND NOT EXISTS (SELECT FROM ai_conversations c WHERE c.owner_id = r.id AND c.archived_at IS NULL)
    ORDER BY r.kept_until LIMIT @max_rows);
