-- name: Clock :one
SELECT now()::timestamptz AS now;

-- name: CreateIncident :many
-- Creates an incident, nothing when an open one has its key. It waits for a transaction that creates one with the key.
INSERT INTO incidents (id, title, description, status, severity, suppress_notifications, health_override, dedupe_key, started_at,
    resolved_at, folded)
VALUES (@id, @title, @description, @status, @severity, @suppress_notifications, sqlc.narg(health_override), sqlc.narg(dedupe_key),
        coalesce(sqlc.narg(started_at)::timestamptz, now()), sqlc.narg(resolved_at), @folded)
ON CONFLICT (dedupe_key) WHERE resolved_at IS NULL AND dedupe_key IS NOT NULL DO NOTHING
RETURNING *;

-- name: OpenByKey :one
-- Finds and locks the open incident with a key.
SELECT * FROM incidents WHERE dedupe_key = @dedupe_key::text AND resolved_at IS NULL FOR NO KEY UPDATE;

-- name: Incident :one
SELECT * FROM incidents WHERE id = $1;

-- name: LockIncident :one
SELECT * FROM incidents WHERE id = $1 FOR NO KEY UPDATE;

-- name: Incidents :many
-- Lists a page of the incidents that the caller may see, the last ones to start first: those of a system that the caller
-- sees, and for a caller who manages incidents those whose systems are all gone. Subqueries that return a value are run for the rows
-- of the page alone; EXISTS would be hashed over all incidents.
SELECT i.* FROM incidents i
WHERE (i.started_at, i.id) < (@before_at::timestamptz, @before_id::uuid)
  AND (@status::text = '' OR i.status = @status)
  AND (@severity::text = '' OR i.severity = @severity)
  AND (@state::text = '' OR @state = 'open' AND i.resolved_at IS NULL OR @state = 'resolved' AND i.resolved_at IS NOT NULL)
  AND (@dedupe_key::text = '' OR i.dedupe_key = @dedupe_key)
  AND (@pattern::text = '' OR i.folded COLLATE "C" LIKE @pattern)
  AND (sqlc.narg(system_id)::uuid IS NULL
       OR EXISTS (SELECT FROM incident_systems o WHERE o.incident_id = i.id AND o.system_id = sqlc.narg(system_id)))
  AND coalesce(
      (SELECT true FROM incident_systems s WHERE s.incident_id = i.id AND EXISTS (
           SELECT FROM access_opens(@object_type, s.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])) LIMIT 1),
      @manages::boolean AND (SELECT count(*) FROM incident_systems n WHERE n.incident_id = i.id) = 0)
ORDER BY i.started_at DESC, i.id DESC
LIMIT @max_rows::integer;

-- name: SystemsOf :many
SELECT incident_id, system_id FROM incident_systems WHERE incident_id = ANY (@ids::uuid[]) ORDER BY system_id;

-- name: AddSystems :many
INSERT INTO incident_systems (incident_id, system_id)
SELECT @incident_id::uuid, unnest(@system_ids::uuid[])
ON CONFLICT DO NOTHING
RETURNING system_id;

-- name: DropSystems :many
DELETE FROM incident_systems WHERE incident_id = @incident_id AND system_id = ANY (@system_ids::uuid[]) RETURNING system_id;

-- name: DropSystem :many
DELETE FROM incident_systems WHERE system_id = $1 RETURNING incident_id;

-- name: UpdateIncident :exec
UPDATE incidents
SET title = @title, description = @description, severity = @severity, suppress_notifications = @suppress_notifications,
    health_override = sqlc.narg(health_override), dedupe_key = sqlc.narg(dedupe_key), started_at = @started_at, folded = @folded,
    resolved_at = CASE WHEN resolved_at IS NOT NULL THEN greatest(resolved_at, @started_at::timestamptz) END
WHERE id = @id;

-- name: SetStatus :exec
-- Moves an incident to a status. The end is noted with the first move to resolved, and is forgotten with the move
-- away, as is who had taken it on.
UPDATE incidents
SET status = @status, duplicate_of = sqlc.narg(duplicate_of),
    acknowledged_at = CASE WHEN resolved_at IS NULL OR @status = 'resolved' THEN acknowledged_at END,
    acknowledged_by = CASE WHEN resolved_at IS NULL OR @status = 'resolved' THEN acknowledged_by END,
    resolved_at = CASE WHEN @status::text = 'resolved'
        THEN coalesce(resolved_at, sqlc.narg(resolved_at)::timestamptz, greatest(clock_timestamp(), started_at)) END
WHERE id = @id;

-- name: AddState :exec
INSERT INTO incident_states (id, incident_id, at, kind, status, status_before, note_id, other_id, by_kind, by_id)
VALUES (@id, @incident_id, coalesce(sqlc.narg(at)::timestamptz, clock_timestamp()), @kind, @status, @status_before,
        sqlc.narg(note_id), sqlc.narg(other_id), @by_kind, @by_id);

-- name: States :many
-- States of an incident before a moment, newest first, without those that an update tells which the audience may see.
SELECT s.* FROM incident_states s
WHERE s.incident_id = @incident_id AND (s.at, s.id) < (@before_at::timestamptz, @before_id::uuid)
  AND NOT EXISTS (SELECT FROM notes n WHERE n.id = s.note_id AND n.visibility = ANY (@audience::text[]))
ORDER BY s.at DESC, s.id DESC LIMIT @max_rows::integer;

-- name: ImportedOf :many
-- Which incidents have texts from outside: those that were imported or that a source of alerts has opened.
SELECT DISTINCT incident_id FROM incident_states
WHERE incident_id = ANY (@ids::uuid[]) AND (kind = 'imported' OR by_kind = 'service' AND kind = 'opened');

-- name: HoldKey :exec
-- Lets one import at a time look for a key.
SELECT pg_advisory_xact_lock(hashtextextended(@dedupe_key::text, 480));

-- name: LatestByKey :one
-- Finds the incident with a key, open or ended: the last one that was opened.
SELECT * FROM incidents WHERE dedupe_key = @dedupe_key::text ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: Acknowledge :exec
UPDATE incidents SET acknowledged_at = clock_timestamp(), acknowledged_by = @by::uuid WHERE id = @id;

-- name: HoldIncident :one
-- Keeps an incident as it is until the transaction ends.
SELECT * FROM incidents WHERE id = $1 FOR SHARE;

-- name: Bump :exec
UPDATE incidents SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: MoveDuplicates :exec
-- Lets the duplicates of an incident be those of another one.
UPDATE incidents SET duplicate_of = @other::uuid, revision = revision + 1, updated_at = now() WHERE duplicate_of = @id::uuid;

-- name: DeleteIncident :execrows
DELETE FROM incidents WHERE id = $1;

-- name: Titles :many
SELECT id, title FROM incidents WHERE id = ANY (@ids::uuid[]);
