-- name: Policy :one
SELECT * FROM script_policy;

-- name: LockPolicy :one
SELECT * FROM script_policy FOR UPDATE;

-- name: SetPolicy :one
INSERT INTO script_policy (document, revision, updated_by_kind, updated_by_id)
VALUES (@document, @revision, @updated_by_kind, @updated_by_id)
ON CONFLICT (one) DO UPDATE
SET document = excluded.document, revision = excluded.revision, updated_at = now(),
    updated_by_kind = excluded.updated_by_kind, updated_by_id = excluded.updated_by_id
RETURNING *;

-- name: LastRevision :one
-- Changes outlive the policy, so a recreated policy does not reuse a published revision.
SELECT coalesce(max(revision), 0)::bigint FROM script_policy_changes;

-- name: LockPolicies :exec
-- Serializes changes of the policy, also while there is none.
SELECT pg_advisory_xact_lock(hashtextextended('countersign.scriptpolicy', 0));

-- name: RecordChange :exec
INSERT INTO script_policy_changes (revision, actor_kind, actor_id, before, after)
VALUES (@revision, @actor_kind, @actor_id, @before, @after);

-- name: Changes :many
SELECT * FROM script_policy_changes ORDER BY id DESC LIMIT @max;
