-- name: Clock :one
SELECT clock_timestamp()::timestamptz AS now;

-- name: CreateMaintenance :one
INSERT INTO maintenances (id, title, description, status, suppress_notifications, zone, rule, first_start, first_end, original,
                          starts_at, ends_at, has_more, since, folded)
VALUES (@id, @title, @description, 'scheduled', @suppress_notifications, @zone, @rule, @first_start, @first_end, @original,
        @starts_at, @ends_at, @has_more, @since, @folded)
RETURNING *;

-- name: Maintenance :one
SELECT * FROM maintenances WHERE id = $1;

-- name: LockMaintenance :one
SELECT * FROM maintenances WHERE id = $1 FOR NO KEY UPDATE;

-- name: Maintenances :many
-- Lists a page of the maintenances that the caller may see, the last ones to start first: those of a system that the caller
-- sees, and for a caller who manages maintenances those whose systems are all gone.
SELECT m.* FROM maintenances m
WHERE (m.starts_at, m.id) < (@before_at::timestamptz, @before_id::uuid)
  AND (@status::text = '' OR maintenance_status(m.status, m.starts_at, m.ends_at, m.has_more, @now::timestamptz) = @status)
  AND (@state::text = '' OR (@state = 'over') =
       (maintenance_status(m.status, m.starts_at, m.ends_at, m.has_more, @now::timestamptz) IN ('completed', 'cancelled')))
  AND (@pattern::text = '' OR m.folded COLLATE "C" LIKE @pattern)
  AND (sqlc.narg(system_id)::uuid IS NULL
       OR EXISTS (SELECT FROM maintenance_systems o WHERE o.maintenance_id = m.id AND o.system_id = sqlc.narg(system_id)))
  AND (EXISTS (SELECT FROM maintenance_systems s WHERE s.maintenance_id = m.id AND EXISTS (
           SELECT FROM access_opens(@object_type, s.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
       OR @manages::boolean AND NOT EXISTS (SELECT FROM maintenance_systems n WHERE n.maintenance_id = m.id))
ORDER BY m.starts_at DESC, m.id DESC
LIMIT @max_rows::integer;

-- name: MaintenancesBetween :many
-- Lists the maintenances that the caller may see which may have an occurrence in a span of time.
SELECT m.* FROM maintenances m
WHERE (m.starts_at < @upper::timestamptz AND m.ends_at > @lower::timestamptz
       OR m.rule <> '' AND m.over_at IS NULL AND m.since < @upper::timestamptz
       OR EXISTS (SELECT FROM maintenance_occurrences o
                  WHERE o.maintenance_id = m.id AND o.starts_at < @upper::timestamptz AND o.ends_at > @lower::timestamptz))
  AND (sqlc.narg(system_id)::uuid IS NULL
       OR EXISTS (SELECT FROM maintenance_systems o WHERE o.maintenance_id = m.id AND o.system_id = sqlc.narg(system_id)))
  AND (EXISTS (SELECT FROM maintenance_systems s WHERE s.maintenance_id = m.id AND EXISTS (
           SELECT FROM access_opens(@object_type, s.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
       OR @manages::boolean AND NOT EXISTS (SELECT FROM maintenance_systems n WHERE n.maintenance_id = m.id))
ORDER BY m.over_at NULLS FIRST, m.starts_at, m.id
LIMIT @max_rows::integer;

-- name: ActiveOn :many
-- Lists the maintenances that are in progress on systems, by system and end.
SELECT s.system_id, m.id, m.title, m.suppress_notifications, m.starts_at, m.ends_at
FROM maintenance_systems s JOIN maintenances m ON m.id = s.maintenance_id
WHERE s.system_id = ANY (@system_ids::uuid[]) AND m.status IN ('scheduled', 'in_progress')
  AND m.starts_at <= @now::timestamptz AND m.ends_at > @now::timestamptz
ORDER BY s.system_id, m.ends_at DESC, m.id;

-- name: SystemsOf :many
SELECT maintenance_id, system_id FROM maintenance_systems WHERE maintenance_id = ANY (@ids::uuid[]) ORDER BY system_id;

-- name: AddSystems :many
INSERT INTO maintenance_systems (maintenance_id, system_id)
SELECT @maintenance_id::uuid, unnest(@system_ids::uuid[])
ON CONFLICT DO NOTHING
RETURNING system_id;

-- name: DropSystems :exec
DELETE FROM maintenance_systems WHERE maintenance_id = @maintenance_id AND system_id = ANY (@system_ids::uuid[]);

-- name: DropSystem :many
DELETE FROM maintenance_systems WHERE system_id = $1 RETURNING maintenance_id;

-- name: Titles :many
SELECT id, title FROM maintenances WHERE id = ANY (@ids::uuid[]);

-- name: Occurrences :many
-- Lists what is kept of the occurrences of maintenances that end after a moment, or begin there by the rule.
SELECT * FROM maintenance_occurrences
WHERE maintenance_id = ANY (@ids::uuid[]) AND (ends_at > @after::timestamptz OR original >= @after::timestamptz)
ORDER BY maintenance_id, starts_at, original;

-- name: CountChanged :one
-- Counts the occurrences that were moved or cancelled and are not over.
SELECT count(*) FROM maintenance_occurrences
WHERE maintenance_id = @maintenance_id AND state IN ('moved', 'cancelled') AND greatest(original, ends_at) > @after::timestamptz;

-- name: PutOccurrence :exec
INSERT INTO maintenance_occurrences (maintenance_id, original, starts_at, ends_at, state, ended_early, extended)
VALUES (@maintenance_id, @original, @starts_at, @ends_at, @state, @ended_early, @extended)
ON CONFLICT (maintenance_id, original) DO UPDATE
SET starts_at = excluded.starts_at, ends_at = excluded.ends_at, state = excluded.state, ended_early = excluded.ended_early,
    extended = excluded.extended;

-- name: DropOccurrences :exec
DELETE FROM maintenance_occurrences
WHERE maintenance_id = @maintenance_id AND state IN ('moved', 'cancelled') AND original = ANY (@originals::timestamptz[]);

-- name: UpdateMaintenance :exec
UPDATE maintenances
SET title = @title, description = @description, suppress_notifications = @suppress_notifications, zone = @zone, rule = @rule,
    first_start = @first_start, first_end = @first_end, folded = @folded
WHERE id = @id;

-- name: SetOccurrence :exec
-- Sets which occurrence is the one in progress or the next one. A new plan is one that the workflow has to know.
UPDATE maintenances
SET status = @status, original = @original, starts_at = @starts_at, ends_at = @ends_at, has_more = @has_more, since = @since,
    ended_early = @ended_early, extended = @extended, over_at = sqlc.narg(over_at), plan = plan + @replanned::integer
WHERE id = @id;

-- name: Bump :one
UPDATE maintenances SET revision = revision + 1, updated_at = now() WHERE id = $1 RETURNING *;

-- name: DeleteMaintenance :execrows
DELETE FROM maintenances WHERE id = $1;

-- name: DueMaintenances :many
SELECT id FROM maintenances WHERE next_edge <= @now::timestamptz ORDER BY next_edge LIMIT @max_rows::integer;

-- name: ChangedPlans :many
SELECT id, plan FROM maintenances WHERE told < plan ORDER BY id LIMIT @max_rows::integer;

-- name: SetTold :exec
UPDATE maintenances SET told = greatest(told, @plan::bigint) WHERE id = @id;

-- name: PutFeed :exec
INSERT INTO maintenance_feeds (user_id, token_hash) VALUES (@user_id, @token_hash)
ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, created_at = clock_timestamp();

-- name: FeedOf :one
SELECT created_at FROM maintenance_feeds WHERE user_id = $1;

-- name: FeedOwner :one
SELECT user_id FROM maintenance_feeds WHERE token_hash = $1;

-- name: DropFeed :execrows
DELETE FROM maintenance_feeds WHERE user_id = $1;
