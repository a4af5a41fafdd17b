-- name: Checks :many
-- A page in name order: all checks or, with @by_grants, those that grants open to a caller without the read rule.
SELECT h.*
FROM (
    (SELECT n.id, n.name_key FROM health_checks n
     WHERE NOT @by_grants::boolean AND n.name_key > @after AND (@name_key::text = '' OR n.name_key = @name_key)
     ORDER BY n.name_key)
    UNION ALL
    (SELECT o.object_id, o.sort_key
     FROM access_page('healthcheck.healthcheck', @subject_type, @subject_id, @team_ids::uuid[], @after, sqlc.narg(depth)::bigint) o
     WHERE @by_grants)
) c JOIN health_checks h ON h.id = c.id
WHERE (@by_grants OR EXISTS (SELECT FROM access_opens('healthcheck.healthcheck', c.id, @by_rule, @subject_type,
    @subject_id, @team_ids::uuid[])))
  AND (@search::text = '' OR strpos(h.name_key, @search) > 0 OR strpos(lower(h.description), @search) > 0)
  AND (@strategy::text = '' OR h.strategy = @strategy)
  AND (sqlc.narg(system_id)::uuid IS NULL
       OR EXISTS (SELECT FROM health_assignments a WHERE a.check_id = h.id AND a.system_id = sqlc.narg(system_id) OFFSET 0))
ORDER BY c.name_key
LIMIT @max_rows;

-- name: Check :one
SELECT * FROM health_checks WHERE id = $1;

-- name: LockCheck :one
SELECT * FROM health_checks WHERE id = $1 FOR NO KEY UPDATE;

-- name: CheckByNameKey :one
SELECT * FROM health_checks WHERE name_key = $1;

-- name: CreateCheck :execrows
INSERT INTO health_checks (id, name, name_key, description, strategy, definition, secrets, guarded, interval_seconds, paused, locations,
    location_rule)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (name_key) DO NOTHING;

-- name: UpdateCheck :execrows
-- version rises when the executed configuration changes.
UPDATE health_checks h
SET name = @name, name_key = @name_key, description = @description, strategy = @strategy, definition = @definition,
    secrets = @secrets, guarded = @guarded,
    interval_seconds = @interval_seconds, paused = @paused, locations = sqlc.narg(locations)::text[], location_rule = @location_rule,
    version = version + ((h.name, h.definition, h.interval_seconds) IS DISTINCT FROM (@name, @definition, @interval_seconds))::int
WHERE h.id = @id AND (h.name, h.description, h.definition, h.interval_seconds, h.paused, h.locations, h.location_rule)
      IS DISTINCT FROM (@name, @description, @definition, @interval_seconds, @paused, sqlc.narg(locations)::text[], @location_rule);

-- name: BumpCheck :exec
UPDATE health_checks SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteCheck :execrows
DELETE FROM health_checks WHERE id = $1;

-- name: CountSystems :many
-- Number of assigned systems per check, of those that the caller may see.
SELECT a.check_id, count(*)::integer AS systems
FROM health_assignments a
WHERE a.check_id = ANY (@check_ids::uuid[])
  AND EXISTS (SELECT FROM access_opens('catalog.system', a.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
GROUP BY a.check_id;

-- name: CountStatuses :many
-- Statuses of the targets of checks, on systems that the caller may see.
SELECT t.check_id, coalesce(s.status, 0)::smallint AS status, count(*)::integer AS targets
FROM check_targets t LEFT JOIN check_states s ON s.target = t.id
WHERE t.check_id = ANY (@check_ids::uuid[]) AND t.active AND NOT t.gone
  AND EXISTS (SELECT FROM access_opens('catalog.system', t.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
GROUP BY t.check_id, coalesce(s.status, 0);

-- name: ExistingChecks :many
SELECT id FROM health_checks WHERE id = ANY(@ids::uuid[]);

-- name: ChecksWithSecret :many
SELECT h.id, h.name FROM health_checks h
WHERE h.secrets @> ARRAY[@secret::text]
  AND EXISTS (SELECT FROM access_opens('healthcheck.healthcheck', h.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY h.name_key LIMIT @max_rows;

-- name: CountChecksWithSecret :one
SELECT count(*) FROM health_checks h WHERE h.secrets @> ARRAY[@secret::text];

-- name: LockPlan :exec
-- Serializes transactions that change targets, after every other lock and before they read the data for the plan.
SELECT pg_advisory_xact_lock(hashtextextended('health check targets', 0));

-- name: AssignedOfCheck :many
-- A batch of the assignments of a check, ordered by system.
SELECT a.check_id, a.system_id, a.enabled, a.thresholds::text AS thresholds, a.environment_ids, a.held, h.name,
    h.interval_seconds, h.paused, h.guarded
FROM health_assignments a JOIN health_checks h ON h.id = a.check_id
WHERE a.check_id = @check_id AND a.system_id > @after::uuid
ORDER BY a.system_id LIMIT @max_rows;

-- name: AssignedOfSystems :many
SELECT a.check_id, a.system_id, a.enabled, a.thresholds::text AS thresholds, a.environment_ids, a.held, h.name,
    h.interval_seconds, h.paused, h.guarded
FROM health_assignments a JOIN health_checks h ON h.id = a.check_id
WHERE a.system_id = ANY (@system_ids::uuid[]) AND (sqlc.narg(check_id)::uuid IS NULL OR a.check_id = sqlc.narg(check_id))
ORDER BY a.system_id, a.check_id;

-- name: Plan :many
-- Upserts the planned targets, and returns the systems with one that has no status yet. The nil id means no
-- environment. Shard and phase derive from the identity of the target, so they are stable; package engine moves
-- targets when the number of shards changes. touched marks a changed configuration, which the owner of the shard has
-- to load.
WITH planned AS (
INSERT INTO check_targets AS t (check_id, system_id, environment_id, shard, interval_ms, phase_ms, since_ms, active, thresholds, scope)
SELECT w.check_id, w.system_id, nullif(w.environment_id, '00000000-0000-0000-0000-000000000000'::uuid),
       check_target_shard(w.check_id, w.system_id, w.environment_id, @shards::integer), w.interval_ms,
       (hashtextextended(w.key, 2) & 2147483647) % w.interval_ms,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint, w.active, w.thresholds::jsonb, w.scope::jsonb
FROM (
    SELECT u.*, u.check_id::text || u.system_id::text || u.environment_id::text AS key
    FROM (
        SELECT unnest(@check_ids::uuid[]) AS check_id, unnest(@system_ids::uuid[]) AS system_id,
        unnest(@environment_ids::uuid[]) AS environment_id,
               unnest(@intervals::integer[]) AS interval_ms, unnest(@actives::boolean[]) AS active,
               unnest(@thresholds::text[]) AS thresholds,
               unnest(@scopes::text[]) AS scope
    ) u
) w
ON CONFLICT ON CONSTRAINT check_targets_once DO UPDATE
SET interval_ms = excluded.interval_ms, phase_ms = excluded.phase_ms, active = excluded.active, gone = false,
    thresholds = excluded.thresholds, scope = excluded.scope
WHERE @touched::boolean OR (t.interval_ms, t.phase_ms, t.active, t.gone, t.thresholds, t.scope)
      IS DISTINCT FROM (excluded.interval_ms, excluded.phase_ms, excluded.active, false, excluded.thresholds, excluded.scope)
RETURNING t.id, t.system_id
)
SELECT DISTINCT p.system_id FROM planned p WHERE NOT EXISTS (SELECT FROM check_states s WHERE s.target = p.id);

-- name: PlannedScopes :many
-- Scopes of the targets of systems.
SELECT check_id, system_id, environment_id, scope FROM check_targets
WHERE system_id = ANY (@system_ids::uuid[]) AND check_id = ANY (@check_ids::uuid[]) AND NOT gone;

-- name: SetHeld :exec
UPDATE health_assignments a SET held = w.held
FROM (SELECT unnest(@check_ids::uuid[]) AS check_id, unnest(@system_ids::uuid[]) AS system_id, unnest(@held::boolean[]) AS held) w
WHERE a.check_id = w.check_id AND a.system_id = w.system_id;

-- name: DropTargets :many
-- Marks targets that the plan no longer has as gone, of systems and, if given, of one check. Their results stay for the
-- retention period.
UPDATE check_targets t SET active = false, gone = true
WHERE t.system_id = ANY (@system_ids::uuid[]) AND (sqlc.narg(check_id)::uuid IS NULL OR t.check_id = sqlc.narg(check_id)) AND NOT t.gone
  AND NOT EXISTS (
    SELECT FROM (
        SELECT unnest(@wanted_checks::uuid[]) AS check_id, unnest(@wanted_systems::uuid[]) AS system_id,
        unnest(@wanted_environments::uuid[]) AS environment_id
    ) w
    WHERE w.check_id = t.check_id AND w.system_id = t.system_id
      AND w.environment_id = coalesce(t.environment_id, '00000000-0000-0000-0000-000000000000'::uuid))
RETURNING t.system_id;

-- name: DropTargetsOfCheck :many
UPDATE check_targets SET active = false, gone = true WHERE check_id = @check_id AND NOT gone RETURNING system_id;

-- name: ForgetStates :many
-- Deletes the states of inactive targets.
WITH idle AS (
    SELECT t.id, t.system_id FROM check_targets t JOIN check_states s ON s.target = t.id
    WHERE t.system_id = ANY (@system_ids::uuid[]) AND NOT t.active
), forgotten AS (
    DELETE FROM check_states WHERE target IN (SELECT id FROM idle)
)
SELECT system_id FROM idle;

-- name: ForgetSystemStates :exec
DELETE FROM check_system_states WHERE system_id = ANY (@system_ids::uuid[]);

-- name: KnownSystems :many
SELECT system_id FROM check_system_states WHERE system_id = ANY (@system_ids::uuid[]) ORDER BY system_id;

-- name: NowMS :one
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms;

-- name: Assignment :one
SELECT * FROM health_assignments WHERE check_id = @check_id AND system_id = @system_id;

-- name: Assign :one
-- Returns whether it created or changed the assignment; no row when it is unchanged.
INSERT INTO health_assignments AS a (check_id, system_id, enabled, thresholds, environment_ids)
VALUES (@check_id, @system_id, @enabled, @thresholds, sqlc.narg(environment_ids)::uuid[])
ON CONFLICT (check_id, system_id) DO UPDATE
SET enabled = excluded.enabled, thresholds = excluded.thresholds, environment_ids = excluded.environment_ids,
    held = false, revision = a.revision + 1, updated_at = now()
WHERE a.held OR (a.enabled, a.thresholds, a.environment_ids) IS DISTINCT FROM (excluded.enabled, excluded.thresholds,
    excluded.environment_ids)
RETURNING (a.revision = 1)::boolean AS made;

-- name: Unassign :execrows
DELETE FROM health_assignments WHERE check_id = @check_id AND system_id = @system_id;

-- name: UnassignSystem :many
DELETE FROM health_assignments WHERE system_id = @system_id RETURNING check_id;

-- name: AssignmentsOfCheck :many
-- A page ordered by system id, of systems that the caller may see.
SELECT a.* FROM health_assignments a
WHERE a.check_id = @check_id AND a.system_id > @after::uuid
  AND EXISTS (SELECT FROM access_opens('catalog.system', a.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY a.system_id LIMIT @max_rows;

-- name: AssignmentsOfChecks :many
-- Assignments of checks to systems that the caller may see.
SELECT a.* FROM health_assignments a
WHERE a.check_id = ANY (@check_ids::uuid[])
  AND EXISTS (SELECT FROM access_opens('catalog.system', a.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY a.check_id, a.system_id;

-- name: HasUnseenSystems :one
-- Whether a check is assigned to a system that the caller may not see.
SELECT EXISTS (
    SELECT FROM health_assignments a WHERE a.check_id = @check_id
    AND NOT EXISTS (SELECT FROM access_opens('catalog.system', a.system_id, @by_rule, @subject_type, @subject_id,
        @team_ids::uuid[])))::boolean;

-- name: TargetsOfAssignments :many
SELECT t.system_id, t.id, t.environment_id, t.active, coalesce(s.status, 0)::smallint AS status, coalesce(s.since_ms, 0)::bigint AS since_ms
FROM check_targets t LEFT JOIN check_states s ON s.target = t.id
WHERE t.check_id = @check_id AND t.system_id = ANY (@system_ids::uuid[]) AND NOT t.gone
ORDER BY t.system_id, t.id;

-- name: TargetsOfSystem :many
-- All existing targets of a system, including inactive ones.
SELECT t.id, t.check_id, h.name AS check_name, t.environment_id, coalesce(t.scope->'environment'->>'name', '')::text AS environment_name,
       t.interval_ms, t.active, coalesce(s.status, 0)::smallint AS status, coalesce(s.since_ms, 0)::bigint AS since_ms,
       coalesce(s.last_slot, 0)::bigint AS last_slot, coalesce(s.reason, '')::text AS reason
FROM check_targets t JOIN health_checks h ON h.id = t.check_id LEFT JOIN check_states s ON s.target = t.id AND t.active
WHERE t.system_id = @system_id AND NOT t.gone
ORDER BY h.name_key, environment_name, t.id;

-- name: FailingOfCheck :many
-- Active targets of a check that do not pass, or whose runs cannot be made, on systems that the caller may see.
SELECT t.id, t.system_id, t.environment_id, coalesce(t.scope->'environment'->>'name', '')::text AS environment_name,
       t.interval_ms, s.status, s.since_ms, s.last_slot, s.reason
FROM check_targets t JOIN check_states s ON s.target = t.id
WHERE t.check_id = @check_id AND t.active AND NOT t.gone AND (s.status > 1 OR s.status = 0 AND s.reason <> '')
  AND EXISTS (SELECT FROM access_opens('catalog.system', t.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY s.status DESC, s.since_ms, t.id LIMIT @max_rows;

-- name: FindTargets :many
-- Targets of some systems, and the one with an id, of checks and systems that the caller may see.
SELECT t.id, t.check_id, t.system_id
FROM check_targets t
WHERE (t.system_id = ANY (@system_ids::uuid[]) OR t.id = @id::integer) AND NOT t.gone
  AND EXISTS (SELECT FROM access_opens('healthcheck.healthcheck', t.check_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
  AND EXISTS (SELECT FROM access_opens('catalog.system', t.system_id, @systems_by_rule::boolean, @subject_type,
      @subject_id, @system_team_ids::uuid[]))
ORDER BY t.id LIMIT @max_rows;

-- name: SystemStates :many
SELECT s.system_id, s.status, s.since_ms, s.reason, s.source, t.check_id, coalesce(h.name, '')::text AS check_name,
    coalesce(o.reason, '')::text AS target_reason,
       coalesce(t.scope->'environment'->>'name', '')::text AS environment_name
FROM check_system_states s LEFT JOIN check_targets t ON t.id = s.target
     LEFT JOIN health_checks h ON h.id = t.check_id LEFT JOIN check_states o ON o.target = t.id
WHERE s.system_id = ANY (@system_ids::uuid[]);

-- name: SystemStatuses :many
SELECT system_id, status FROM check_system_states WHERE system_id = ANY (@system_ids::uuid[]);

-- name: OverridesOfSystem :many
SELECT * FROM check_overrides WHERE system_id = @system_id ORDER BY since_ms, source, key;

-- name: CountTargets :many
-- Visibility is checked once per check, however many systems it has.
WITH planned AS MATERIALIZED (
    SELECT DISTINCT t.system_id, t.check_id FROM check_targets t
    WHERE t.system_id = ANY (@system_ids::uuid[]) AND t.active AND NOT t.gone
), seen AS MATERIALIZED (
    SELECT c.check_id FROM (SELECT DISTINCT check_id FROM planned) c
    WHERE EXISTS (SELECT FROM access_opens('healthcheck.healthcheck', c.check_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
)
SELECT p.system_id, count(*)::integer AS checks FROM planned p JOIN seen s USING (check_id) GROUP BY p.system_id;

-- name: Target :one
-- A target of an existing check, or such a target from one location: the grants of a deleted check are gone.
SELECT t.id, t.target, t.check_id, t.system_id FROM check_schedule t JOIN health_checks h ON h.id = t.check_id WHERE t.id = @id;

-- name: ActiveTargets :many
-- A located target from each of its locations.
SELECT s.id FROM check_targets t JOIN check_schedule s ON s.target = t.id
WHERE t.check_id = @check_id AND t.system_id = @system_id AND s.runs
  AND (sqlc.narg(environment_id)::uuid IS NULL OR t.environment_id = sqlc.narg(environment_id))
ORDER BY s.id;

-- name: Locations :many
-- All locations, with their probes: those that are alive are processes that were seen in the last four seconds. The last sign of life
-- is the end of the newest claim, or now while it lasts. Processes of workers of the version before name no version.
WITH seen AS MATERIALIZED (
    SELECT c.locations FROM health_checks c
    WHERE EXISTS (SELECT FROM access_opens('healthcheck.healthcheck', c.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
)
SELECT o.id, o.name, o.labels, coalesce(c.claimed_to, 0)::bigint AS seen_ms, coalesce(w.processes, 0)::integer AS processes,
       coalesce(w.versions, '{}')::text[] AS versions, coalesce(n.checks, 0)::integer AS checks
FROM check_locations o
LEFT JOIN LATERAL (
    SELECT least(max(s.claimed_to), (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS claimed_to
    FROM check_claims s WHERE s.location = o.id HAVING count(*) > 0) c ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS processes, array_agg(DISTINCT p.version) FILTER (WHERE p.version <> '') AS versions
    FROM check_workers p
    WHERE p.location = o.id AND CASE WHEN o.id = 0 THEN p.heard_at ELSE p.seen_at END > clock_timestamp() - interval '4 seconds'
) w ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS checks FROM seen h WHERE CASE WHEN o.id = 0 THEN h.locations IS NULL OR check_runs_at(h.locations, o.name, o.labels)
        ELSE check_runs_at(h.locations, o.name, o.labels) END
) n ON true
WHERE o.removed_at IS NULL
ORDER BY o.id <> 0, o.name_key;

-- name: LocationNames :many
SELECT name, name_key, labels FROM check_locations WHERE removed_at IS NULL ORDER BY id <> 0, name_key;

-- name: ChecksToFollow :many
-- Checks that name labels, and whose targets do not run from exactly the locations with them: probes have started with other labels.
WITH chosen AS (
    SELECT t.id, t.check_id, h.locations FROM health_checks h JOIN check_targets t ON t.check_id = h.id
    WHERE h.id > @after::uuid AND t.located AND NOT t.gone
      AND EXISTS (SELECT FROM unnest(h.locations) n WHERE position('=' IN n) > 0)
)
SELECT DISTINCT c.check_id FROM chosen c CROSS JOIN check_locations o
LEFT JOIN check_location_targets l ON l.target = c.id AND l.location = o.id AND NOT l.gone
WHERE o.removed_at IS NULL AND check_runs_at(c.locations, o.name, o.labels) <> (l.id IS NOT NULL)
ORDER BY c.check_id LIMIT 100;

-- name: LockLocations :exec
-- Serializes what adds, renames and removes locations.
SELECT pg_advisory_xact_lock(hashtextextended('health check locations', 0));

-- name: ShareLocations :exec
-- Keeps the names of locations until the transaction ends.
SELECT pg_advisory_xact_lock_shared(hashtextextended('health check locations', 0));

-- name: LocationByID :one
-- A location, whether a process runs there or has claimed a shard, and whether checks name it.
SELECT o.name, o.name_key,
       (EXISTS (SELECT FROM check_workers p WHERE p.location = o.id AND p.seen_at > clock_timestamp() - interval '4 seconds')
        OR EXISTS (SELECT FROM check_claims c
                   WHERE c.location = o.id AND c.claimed_to > (extract(epoch FROM clock_timestamp()) * 1000)::bigint))::boolean AS alive,
       EXISTS (SELECT FROM health_checks h WHERE o.name = ANY (h.locations))::boolean AS used
FROM check_locations o WHERE o.id = @id AND o.removed_at IS NULL;

-- name: LocationNamed :one
-- Whether another location has a name, or the probes of another one use it.
SELECT EXISTS (SELECT FROM check_locations o
               WHERE o.id <> @id AND o.removed_at IS NULL AND @name_key::text IN (o.name_key, o.probe_key))::boolean;

-- name: RenameLocation :exec
UPDATE check_locations SET name = @name, name_key = @name_key, probe_key = coalesce(probe_key, name_key) WHERE id = @id;

-- name: RenameInChecks :exec
-- Checks refer to locations by name.
UPDATE health_checks SET locations = array_replace(locations, @before::text, @after::text), revision = revision + 1, updated_at = now()
WHERE @before::text = ANY (locations);

-- name: TargetsAt :many
-- Located targets that run from a location.
SELECT l.target FROM check_location_targets l WHERE l.location = @location AND NOT l.gone ORDER BY l.target;

-- name: RemoveLocation :exec
-- The name of a removed location is free, and none that a check can have.
UPDATE check_locations SET removed_at = now(), probe_key = NULL, name = name || chr(10) || id, name_key = name_key || chr(10) || id
WHERE id = @id;

-- name: LeaveLocation :exec
-- No target runs from a location any longer. Past runs from there stay.
UPDATE check_location_targets SET gone = true, changed = pg_current_xact_id() WHERE location = @location AND NOT gone;

-- name: ForgetStatesAt :exec
WITH idle AS (
    SELECT l.id, t.system_id, s.status FROM check_location_targets l JOIN check_targets t ON t.id = l.target
    JOIN check_states s ON s.target = l.id WHERE l.location = @location
), forgotten AS (
    DELETE FROM check_states WHERE target IN (SELECT id FROM idle)
)
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason)
SELECT i.system_id, i.id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, i.status, 0, 'Its location was removed'
FROM idle i WHERE i.status <> 0;

-- name: DropClaimsAt :exec
DELETE FROM check_claims WHERE location = @location;

-- name: DropProcessesAt :exec
DELETE FROM check_workers WHERE location = @location;

-- name: OldWorkers :one
-- Whether a process of the version before runs checks, which knows of no locations.
SELECT EXISTS (SELECT FROM check_workers WHERE version IS NULL AND heard_at > clock_timestamp() - interval '10 seconds');

-- name: AnyLocated :one
-- Whether targets of systems have locations, or are to have some.
SELECT EXISTS (
    SELECT FROM check_targets t JOIN health_checks h ON h.id = t.check_id
    WHERE t.system_id = ANY (@system_ids::uuid[]) AND (sqlc.narg(check_id)::uuid IS NULL OR t.check_id = sqlc.narg(check_id))
      AND (t.located OR h.locations IS NOT NULL));

-- name: LocateTargets :many
-- Sets which targets have locations of their own, and returns those that have changed.
UPDATE check_targets t
SET located = h.locations IS NOT NULL,
    shard = CASE WHEN h.locations IS NULL THEN check_target_shard(t.check_id, t.system_id, t.environment_id, @shards::integer) ELSE -1 END
FROM health_checks h
WHERE h.id = t.check_id AND t.system_id = ANY (@system_ids::uuid[])
  AND (sqlc.narg(check_id)::uuid IS NULL OR t.check_id = sqlc.narg(check_id))
  AND t.located <> (h.locations IS NOT NULL)
RETURNING t.id;

-- name: DropLocations :exec
UPDATE check_location_targets l SET gone = true, changed = pg_current_xact_id()
FROM check_targets t JOIN health_checks h ON h.id = t.check_id, check_locations o
WHERE t.id = l.target AND o.id = l.location AND NOT l.gone AND NOT check_runs_at(h.locations, o.name, o.labels)
  AND t.system_id = ANY (@system_ids::uuid[]) AND (sqlc.narg(check_id)::uuid IS NULL OR t.check_id = sqlc.narg(check_id));

-- name: PlanLocations :exec
-- Upserts located targets in their locations. Each location but the main one has four shards, with negative numbers.
INSERT INTO check_location_targets AS l (target, location, shard)
SELECT t.id, o.id, CASE WHEN o.id = 0 THEN check_target_shard(t.check_id, t.system_id, t.environment_id, @shards::integer)
                   ELSE -(4 * o.id + check_target_shard(t.check_id, t.system_id, t.environment_id, 4)) END
FROM check_targets t JOIN health_checks h ON h.id = t.check_id JOIN check_locations o ON check_runs_at(h.locations, o.name, o.labels)
WHERE o.removed_at IS NULL AND t.system_id = ANY (@system_ids::uuid[]) AND NOT t.gone
  AND (sqlc.narg(check_id)::uuid IS NULL OR t.check_id = sqlc.narg(check_id))
ON CONFLICT ON CONSTRAINT check_location_targets_once DO UPDATE
SET gone = false, changed = pg_current_xact_id(), since_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
WHERE l.gone;

-- name: ForgetLocationStates :exec
-- Deletes the states of what does not run: paused, deleted, or no longer in a location. From then on nothing is known of it.
WITH idle AS (
    SELECT r.id, r.system_id, s.status FROM check_schedule r JOIN check_states s ON s.target = r.id
    WHERE r.system_id = ANY (@system_ids::uuid[]) AND r.id <> r.target AND NOT r.runs
), forgotten AS (
    DELETE FROM check_states WHERE target IN (SELECT id FROM idle)
)
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason)
SELECT i.system_id, i.id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, i.status, 0, 'It no longer runs from there'
FROM idle i WHERE i.status <> 0;

-- name: ForgetStatesOf :exec
WITH forgotten AS (
    DELETE FROM check_states WHERE target = ANY (@targets::integer[]) RETURNING target, status
)
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason)
SELECT t.system_id, t.id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, f.status, 0, 'It runs from other locations'
FROM forgotten f JOIN check_targets t ON t.id = f.target WHERE f.status <> 0;

-- name: LocatedTargets :many
SELECT t.id FROM check_targets t
WHERE t.system_id = ANY (@system_ids::uuid[]) AND (sqlc.narg(check_id)::uuid IS NULL OR t.check_id = sqlc.narg(check_id))
  AND t.located AND t.active AND NOT t.gone
ORDER BY t.id;

-- name: LocationsOf :many
-- Located targets in their locations, the main one first.
SELECT l.target, l.id, o.name, o.id = 0 AS main, coalesce(s.status, 0)::smallint AS status, coalesce(s.since_ms, 0)::bigint AS since_ms,
       coalesce(s.last_slot, 0)::bigint AS last_slot, coalesce(s.reason, '')::text AS reason
FROM check_location_targets l JOIN check_locations o ON o.id = l.location LEFT JOIN check_states s ON s.target = l.id
WHERE l.target = ANY (@targets::integer[]) AND NOT l.gone
ORDER BY l.target, o.id <> 0, o.name_key;

-- name: FormerLocationsOf :many
-- Locations from which targets ran and no longer run, the last one first, as long as their history is kept. A removed location has its
-- name before a line break.
SELECT l.target, l.id, split_part(o.name, chr(10), 1)::text AS name, (o.removed_at IS NOT NULL)::boolean AS removed,
       l.left_ms::bigint AS left_ms
FROM check_location_targets l JOIN check_locations o ON o.id = l.location
WHERE l.target = ANY (@targets::integer[]) AND l.gone AND l.left_ms IS NOT NULL
ORDER BY l.target, l.left_ms DESC, l.id LIMIT 1000;

-- name: TargetsThatCall :many
-- A page of the targets of a check by id, on systems that the caller may see, with the last reports of their jobs.
SELECT t.id, t.system_id, t.environment_id, coalesce(t.scope->'environment'->>'name', '')::text AS environment_name, t.active,
       b.at, coalesce(b.failed, false) AS failed, coalesce(b.message, '') AS message, coalesce(b.duration_ms, 0)::bigint AS duration_ms,
       k.replaced_at, k.former_until
FROM check_targets t LEFT JOIN check_heartbeats b ON b.target = t.id LEFT JOIN check_heartbeat_tokens k ON k.target = t.id
WHERE t.check_id = @check_id AND NOT t.gone AND t.id > @after::integer
  AND EXISTS (SELECT FROM access_opens('catalog.system', t.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY t.id LIMIT @max_rows;

-- name: TargetThatCalls :one
-- A target of a check, on a system that the caller may see.
SELECT t.id, t.system_id FROM check_targets t
WHERE t.id = @target AND t.check_id = @check_id AND NOT t.gone
  AND EXISTS (SELECT FROM access_opens('catalog.system', t.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]));

-- name: HeldOfSystem :many
SELECT h.id, h.name FROM health_assignments a JOIN health_checks h ON h.id = a.check_id
WHERE a.system_id = @system_id AND a.held
ORDER BY h.name_key LIMIT 50;

-- name: Measured :many
-- Active targets that the caller may see, and for located ones each of their locations, with their states. total counts those beyond
-- the limit too. run is the id of their runs, 0 for a located target, which has none. valid_to is in the reports of today and
-- yesterday. Visibility is checked once per check and once per system.
WITH checks AS MATERIALIZED (
    SELECT h.id, h.name, h.strategy FROM health_checks h
    WHERE EXISTS (SELECT FROM access_opens('healthcheck.healthcheck', h.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
), systems AS MATERIALIZED (
    SELECT y.system_id FROM (SELECT DISTINCT system_id FROM check_targets WHERE active AND NOT gone) y
    WHERE EXISTS (SELECT FROM access_opens('catalog.system', y.system_id, @systems_by_rule::boolean, @subject_type, @subject_id,
        @system_team_ids::uuid[]))
), opened AS (
    SELECT t.id, t.located, h.name AS check_name, h.strategy
    FROM check_targets t JOIN checks h ON h.id = t.check_id JOIN systems y ON y.system_id = t.system_id
    WHERE t.active AND NOT t.gone
), seen AS MATERIALIZED (
    SELECT e.*, count(*) OVER () AS total
    FROM (
        SELECT t.id, t.check_name, t.strategy, t.id AS state, CASE WHEN t.located THEN 0 ELSE t.id END AS run, ''::text AS location
        FROM opened t
        UNION ALL
        SELECT t.id, t.check_name, t.strategy, l.id, l.id, o.name
        FROM opened t JOIN check_location_targets l ON l.target = t.id AND NOT l.gone JOIN check_locations o ON o.id = l.location
        WHERE t.located
    ) e LEFT JOIN check_states k ON k.target = e.state
    -- The worst first, so that none of them is left out: unhealthy, degraded, unknown, healthy.
    ORDER BY (CASE coalesce(k.status, 0) WHEN 0 THEN 1.5 WHEN 1 THEN 1 ELSE k.status END) DESC, e.id, e.location LIMIT @max_rows
)
SELECT m.id, m.run::integer AS run, m.location, m.check_name, m.strategy, coalesce(t.scope->'system'->>'name', '')::text AS system_name,
       coalesce(t.scope->'environment'->>'name', '')::text AS environment_name, m.total,
       coalesce(s.status, 0)::smallint AS status, coalesce(s.since_ms, 0)::bigint AS since_ms, coalesce(p.valid_to, '')::text AS valid_to,
       t.interval_ms, (extract(epoch FROM now()) * 1000)::bigint AS now_ms
FROM seen m
JOIN check_targets t ON t.id = m.id
LEFT JOIN check_states s ON s.target = m.state
LEFT JOIN LATERAL (
    SELECT coalesce(jsonb_path_query_first(r.report, '$.collectors[*].result.validTo'),
        jsonb_path_query_first(r.report, '$.collectors[*].result.certificateValidTo'))#>>'{}' AS valid_to
    FROM check_reports r
    WHERE @with_reports::boolean AND r.target = m.run
      AND (r.slot / 86400000 % 36 = floor(extract(epoch FROM now()) / 86400)::bigint % 36
        OR r.slot / 86400000 % 36 = (floor(extract(epoch FROM now()) / 86400)::bigint + 35) % 36)
    ORDER BY r.slot DESC LIMIT 1
) p ON true
ORDER BY m.id, m.location;

-- name: TransitionsOfSystems :many
-- Changes of the health of systems, and of those of their checks that the caller may see, newest first.
SELECT f.id, f.system_id, f.at_ms, f.before, f.after, f.check_id, f.check_name, f.reason
FROM unnest(@systems::uuid[]) AS w(id)
CROSS JOIN LATERAL (
    SELECT t.id, t.system_id, t.at_ms, t.before, t.after, h.id AS check_id, coalesce(h.name, '')::text AS check_name, t.reason
    FROM check_transitions t LEFT JOIN check_targets g ON g.id = t.target LEFT JOIN health_checks h ON h.id = g.check_id
    WHERE t.system_id = w.id AND t.before <> t.after AND t.at_ms >= @first::bigint AND t.at_ms < @last::bigint
      AND (t.at_ms, t.id) < (@before_ms::bigint, @before_id::bigint)
      AND (t.target IS NULL OR h.id IS NOT NULL AND EXISTS (
          SELECT FROM access_opens('healthcheck.healthcheck', h.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
    ORDER BY t.at_ms DESC, t.id DESC LIMIT @max_rows::integer
) f
ORDER BY f.at_ms DESC, f.id DESC LIMIT @max_rows::integer;

-- name: ChecksOfSystems :many
-- Checks that are assigned to some systems.
SELECT DISTINCT a.check_id FROM health_assignments a WHERE a.system_id = ANY (@systems::uuid[])
ORDER BY a.check_id LIMIT @max_rows::integer;
