-- name: Heartbeat :one
-- Heartbeat records that a process is alive, and numbers its flush. No row: the flush with that number was committed before.
-- A process that leaves keeps its row for the numbers and no longer counts for the shares.
-- heard_at of a probe lies in the past, so that processes of the version before do not count it for the shards of the main location.
INSERT INTO check_workers AS w (id, heard_at, seen_at, holds, flushes, location, version)
SELECT @id, n.seen_at - CASE WHEN @location::smallint <> 0 THEN interval '1 minute' ELSE interval '0' END, n.seen_at, @holds, @flush,
       @location, @version::text
FROM (SELECT clock_timestamp() - CASE WHEN @leaves::boolean THEN interval '1 minute' ELSE interval '0' END AS seen_at) n
ON CONFLICT (id) DO UPDATE
SET heard_at = excluded.heard_at, seen_at = excluded.seen_at, holds = excluded.holds, flushes = excluded.flushes
WHERE w.flushes < excluded.flushes
RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms;

-- name: FairShare :one
-- FairShare counts the live processes of a location, its shards, and the unclaimed ones.
SELECT (SELECT count(*) FROM check_workers w WHERE w.location = @location
            AND CASE WHEN w.location = 0 THEN w.heard_at ELSE w.seen_at END > clock_timestamp() - interval '4 seconds') AS workers,
       s.shards, s.unclaimed
FROM (SELECT count(*) AS shards,
             count(*) FILTER (WHERE owner = '' OR claimed_to < (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS unclaimed
      FROM check_claims WHERE location = @location) s;

-- name: UnclaimedShards :many
-- UnclaimedShards were released, or their claim has expired, except those that another transaction is acquiring.
SELECT shard FROM check_claims
WHERE location = @location AND (owner = '' OR claimed_to < (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
ORDER BY shard FOR KEY SHARE SKIP LOCKED;

-- name: DeleteWorker :exec
DELETE FROM check_workers WHERE id = @id;

-- name: DeleteOldWorkers :exec
DELETE FROM check_workers WHERE heard_at < clock_timestamp() - interval '10 minutes';

-- name: ShardsMatch :one
-- ShardsMatch says whether the number of shards is right, and each target is in one of them. The maximum is the end of an
-- index; a search for a shard beyond the last would scan all targets.
SELECT ((SELECT count(*) FROM check_shards) = @shards::bigint
    AND coalesce((SELECT max(shard) FROM check_targets WHERE NOT gone), 0) < @shards::bigint
    AND coalesce((SELECT max(shard) FROM check_location_targets), 0) < @shards::bigint)::bool AS ok;

-- name: LockTargetPlan :exec
-- Serializes the planning of targets by an advisory lock.
SELECT pg_advisory_xact_lock(hashtextextended('health check targets', 0));

-- name: LockShards :many
SELECT shard, epoch, claimed_to, settled_to FROM check_shards ORDER BY shard FOR UPDATE;

-- name: ResetShards :exec
-- ResetShards restarts all shards after the highest epoch and claim, and from the lowest settled time.
INSERT INTO check_shards AS s (shard, epoch, claimed_to, settled_to)
SELECT n.shard, @epoch::bigint, @claimed_to::bigint, @settled_to::bigint FROM (SELECT generate_series(0, @last::int) AS shard) n
ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch, claimed_to = excluded.claimed_to, settled_to = excluded.settled_to, owner = '';

-- name: DeleteShards :exec
DELETE FROM check_shards WHERE shard > @last::int;

-- name: MoveTargets :execrows
UPDATE check_targets SET shard = check_target_shard(check_id, system_id, environment_id, @shards::int)
WHERE shard <> check_target_shard(check_id, system_id, environment_id, @shards::int) AND NOT located;

-- name: MoveLocatedTargets :exec
-- MoveLocatedTargets does the same for those that run in the main location beside others.
UPDATE check_location_targets l
SET shard = check_target_shard(t.check_id, t.system_id, t.environment_id, @shards::int), changed = pg_current_xact_id()
FROM check_targets t
WHERE t.id = l.target AND l.location = 0 AND l.shard <> check_target_shard(t.check_id, t.system_id, t.environment_id, @shards::int);

-- name: ExtendClaims :many
-- ExtendClaims renews claims that have not expired.
UPDATE check_claims s
SET claimed_to = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + @window_ms::bigint,
    settled_to = greatest(s.settled_to, u.settled_to)
FROM (SELECT unnest(@shards::smallint[]) AS shard, unnest(@epochs::bigint[]) AS epoch, unnest(@settled::bigint[]) AS settled_to) u
WHERE s.shard = u.shard AND s.epoch = u.epoch AND s.claimed_to >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
RETURNING s.shard, s.epoch, s.claimed_to;

-- name: HeldShards :many
-- HeldShards are those of the shards that no other process has acquired.
SELECT s.shard, s.epoch FROM check_claims s
JOIN (SELECT unnest(@shards::smallint[]) AS shard, unnest(@epochs::bigint[]) AS epoch) u ON s.shard = u.shard AND s.epoch = u.epoch;

-- name: FenceShards :many
-- FenceShards locks shards against takeover until the transaction ends. Claims can be renewed meanwhile.
SELECT s.shard, s.epoch FROM check_claims s
JOIN (SELECT unnest(@shards::smallint[]) AS shard, unnest(@epochs::bigint[]) AS epoch) u ON s.shard = u.shard AND s.epoch = u.epoch
ORDER BY s.shard FOR KEY SHARE OF s;

-- name: LockShard :one
SELECT claimed_to, settled_to, epoch, owner FROM check_claims WHERE shard = @shard FOR UPDATE;

-- name: Clock :one
-- Clock is the time of the database. After LockShard it is read when the transaction of the previous owner has ended.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms, pg_snapshot_xmin(pg_current_snapshot())::text AS seen;

-- name: AcquireShard :one
-- AcquireShard begins a new epoch, the fencing token of a shard.
UPDATE check_claims SET epoch = epoch + 1, owner = @owner, taken_at = clock_timestamp(), settled_to = greatest(settled_to, @settled_to),
       claimed_to = greatest(claimed_to, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) + @window_ms::bigint
WHERE shard = @shard
RETURNING epoch, claimed_to;

-- name: SlotsWithoutResult :many
-- SlotsWithoutResult are the slots of a shard in a period that have neither a gap nor a result, apart from sealed results.
-- Slots before the retention of single results are left out.
SELECT t.id, t.interval_ms, s.slot::bigint AS slot
FROM check_schedule t
CROSS JOIN (SELECT ((extract(epoch FROM clock_timestamp()) * 1000)::bigint / 86400000 - raw_days) * 86400000 AS oldest
    FROM check_retention) k
CROSS JOIN LATERAL generate_series(
    t.phase_ms + (greatest(@from_ms::bigint, t.since_ms, k.oldest) - t.phase_ms + t.interval_ms - 1)
        / t.interval_ms * t.interval_ms::bigint,
    @last_ms::bigint, t.interval_ms::bigint) AS s(slot)
WHERE t.shard = @shard AND t.runs
  AND NOT EXISTS (SELECT FROM check_results r WHERE r.target = t.id AND r.slot = s.slot AND r.slot / 3600000 % 8 = s.slot / 3600000 % 8)
  AND NOT EXISTS (SELECT FROM check_gaps g WHERE g.target = t.id AND s.slot BETWEEN g.from_slot AND g.to_slot)
ORDER BY t.id, s.slot;

-- name: RecordGaps :one
-- RecordGaps records slots as gaps, adjacent ones as one.
WITH missing AS (
    SELECT unnest(@targets::int[]) AS id, unnest(@slots::bigint[]) AS slot, unnest(@intervals::int[]) AS interval_ms
), islands AS (
    SELECT id, slot, slot / interval_ms - row_number() OVER (PARTITION BY id ORDER BY slot) AS island FROM missing
), recorded AS (
    INSERT INTO check_gaps (target, from_slot, to_slot, missed, reason)
    SELECT id, min(slot), max(slot), count(*), @reason::text FROM islands GROUP BY id, island
    ON CONFLICT DO NOTHING
    RETURNING missed
)
SELECT coalesce(sum(missed), 0)::bigint AS missed FROM recorded;

-- name: RecordUnclaimedGaps :one
-- RecordUnclaimedGaps records all slots of a shard in a period without a claim as gaps.
WITH slots AS (
    SELECT t.id, t.interval_ms,
           t.phase_ms + (greatest(@from_ms::bigint, t.since_ms) - t.phase_ms + t.interval_ms - 1) / t.interval_ms * t.interval_ms AS first,
           t.phase_ms + (-t.phase_ms + @last_ms::bigint) / t.interval_ms * t.interval_ms AS last
    FROM check_schedule t WHERE t.shard = @shard AND t.runs
), recorded AS (
    INSERT INTO check_gaps (target, from_slot, to_slot, missed, reason)
    SELECT id, first, last, (last - first) / interval_ms + 1, @reason::text FROM slots WHERE first <= last
    ON CONFLICT DO NOTHING
    RETURNING missed
)
SELECT coalesce(sum(missed), 0)::bigint AS missed FROM recorded;

-- name: ReleaseShard :exec
-- ReleaseShard gives the rest of a claim back, and wakes the processes that may claim the shard.
WITH released AS (
    UPDATE check_claims SET claimed_to = least(claimed_to, @claimed_to), settled_to = greatest(settled_to, @settled_to), owner = ''
    WHERE shard = @shard AND epoch = @epoch
    RETURNING shard
)
SELECT pg_notify('countersign_checks', '') FROM released;

-- name: Targets :many
SELECT t.id, t.target, t.check_id, t.system_id, t.interval_ms, t.phase_ms, t.since_ms, t.thresholds, t.scope, c.version AS check_version,
       b.resumed_ms, s.status, s.since_ms AS status_since, s.cause, s.reason, s.counts, s.failing_ms, s.erring_ms
FROM check_schedule t JOIN check_targets b ON b.id = t.target JOIN health_checks c ON c.id = t.check_id
    LEFT JOIN check_states s ON s.target = t.id AND s.last_slot >= b.resumed_ms
WHERE t.shard = @shard AND t.runs;

-- name: Changed :many
-- Changed are targets of all shards that were changed by transactions which the previous poll may not have seen: one may have
-- left a shard that is held.
SELECT t.id, t.target, t.shard, t.check_id, t.system_id, t.interval_ms, t.phase_ms, t.since_ms, t.thresholds, t.scope, t.runs::bool AS runs,
       t.changed::text AS changed, h.epoch, c.version AS check_version, b.resumed_ms, s.status, s.since_ms AS status_since, s.cause,
       s.reason, s.counts, s.failing_ms, s.erring_ms
FROM check_schedule t
JOIN check_targets b ON b.id = t.target
JOIN health_checks c ON c.id = t.check_id
LEFT JOIN check_claims h ON h.shard = t.shard
LEFT JOIN check_states s ON s.target = t.id AND s.last_slot >= b.resumed_ms
WHERE t.changed >= (SELECT u.seen::xid8 FROM (SELECT @seen::text AS seen) u);

-- name: Definitions :many
SELECT id, version, strategy, definition FROM health_checks WHERE id = ANY(@ids::uuid[]);

-- name: StartRequests :many
-- StartRequests marks requested runs as started by the owner of their shard.
UPDATE check_requests q SET epoch = u.epoch
FROM (SELECT unnest(@shards::smallint[]) AS shard, unnest(@epochs::bigint[]) AS epoch) u
JOIN check_claims s ON s.shard = u.shard AND s.epoch = u.epoch
JOIN check_schedule t ON t.shard = u.shard
WHERE q.target = t.id AND q.epoch IS NULL
RETURNING q.target, q.slot, s.shard, s.epoch;

-- name: FailRequests :exec
-- FailRequests records the requested runs that the previous owner started and did not finish as gaps.
WITH lost AS (
    DELETE FROM check_requests q USING check_schedule t
    WHERE t.id = q.target AND t.shard = @shard AND q.epoch < @epoch RETURNING q.target, q.slot
)
INSERT INTO check_gaps (target, from_slot, to_slot, missed, reason)
SELECT l.target, l.slot, l.slot, 1, @reason::text FROM lost l
WHERE NOT EXISTS (SELECT FROM check_results r WHERE r.target = l.target AND r.slot = l.slot)
ON CONFLICT DO NOTHING;

-- name: EndRequests :exec
DELETE FROM check_requests q USING (SELECT unnest(@targets::int[]) AS target, unnest(@slots::bigint[]) AS slot) u
WHERE q.target = u.target AND q.slot = u.slot;

-- name: Request :one
-- Request adds a run at a slot that no schedule has. No row: the target does not exist, is deleted or is paused.
INSERT INTO check_requests (target, slot)
SELECT t.id, n.ms + CASE WHEN (n.ms - t.phase_ms) % t.interval_ms = 0 AND t.interval_ms > 1 THEN 1 ELSE 0 END
FROM check_schedule t, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) n
WHERE t.id = @target AND t.runs
ON CONFLICT (target, slot) DO UPDATE SET asked_at = check_requests.asked_at
RETURNING slot;

-- name: AddResult :batchexec
-- AddResult skips existing rows. Usually rows are copied; see copy.go.
INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code, kept)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING;

-- name: AddReports :exec
INSERT INTO check_reports (target, slot, report)
SELECT unnest(@targets::int[]), unnest(@slots::bigint[]), unnest(@reports::text[])::jsonb ON CONFLICT DO NOTHING;

-- name: AddGaps :exec
INSERT INTO check_gaps AS g (target, from_slot, to_slot, missed, reason)
SELECT unnest(@targets::int[]), unnest(@from_slots::bigint[]), unnest(@to_slots::bigint[]), unnest(@missed::int[]), unnest(@reasons::text[])
ON CONFLICT (target, from_slot) DO UPDATE SET to_slot = excluded.to_slot, missed = excluded.missed WHERE excluded.to_slot > g.to_slot;

-- name: PutStates :exec
-- PutStates leaves targets out that were paused since the run: their state is forgotten.
INSERT INTO check_states AS s (target, status, since_ms, last_slot, cause, reason, counts, failing_ms, erring_ms)
SELECT u.target, u.status, u.since_ms, u.last_slot, u.cause, u.reason, u.counts, u.failing_ms, u.erring_ms
FROM (SELECT unnest(@targets::int[]) AS target, unnest(@statuses::smallint[]) AS status,
    unnest(@since::bigint[]) AS since_ms, unnest(@slots::bigint[]) AS last_slot,
             unnest(@causes::smallint[]) AS cause, unnest(@reasons::text[]) AS reason, unnest(@counts::bytea[]) AS counts,
             unnest(@failing::bigint[]) AS failing_ms, unnest(@erring::bigint[]) AS erring_ms) u
JOIN check_schedule t ON t.id = u.target JOIN check_targets b ON b.id = t.target AND b.active AND u.last_slot >= b.resumed_ms
ORDER BY u.target
ON CONFLICT (target) DO UPDATE SET status = excluded.status, since_ms = excluded.since_ms, last_slot = excluded.last_slot,
    cause = excluded.cause, reason = excluded.reason, counts = excluded.counts, failing_ms = excluded.failing_ms,
    erring_ms = excluded.erring_ms;

-- name: AddTransitions :exec
-- AddTransitions leaves targets out that were paused since, like PutStates.
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason, began_ms)
SELECT u.system_id, nullif(u.target, 0), u.at_ms, u.before, u.after, u.reason, u.began_ms
FROM (SELECT unnest(@systems::uuid[]) AS system_id, unnest(@targets::int[]) AS target, unnest(@at::bigint[]) AS at_ms,
             unnest(@before::smallint[]) AS before, unnest(@after::smallint[]) AS after, unnest(@reasons::text[]) AS reason,
             unnest(@began::bigint[]) AS began_ms) u
LEFT JOIN check_schedule t ON t.id = u.target LEFT JOIN check_targets b ON b.id = t.target
WHERE u.target = 0 OR b.active AND u.at_ms >= b.resumed_ms;

-- name: ReopenBoards :exec
-- ReopenBoards makes boards compute days again from what was written about the past.
WITH earlier AS (
    SELECT u.system_id, min(u.day) AS day FROM (SELECT unnest(@systems::uuid[]) AS system_id, unnest(@days::int[]) AS day) u GROUP BY 1
), held AS (
    SELECT b.system_id, e.day FROM check_boards b JOIN earlier e ON e.system_id = b.system_id AND e.day < b.cells_to
    ORDER BY b.system_id FOR UPDATE OF b
)
UPDATE check_boards b SET cells_to = h.day FROM held h WHERE b.system_id = h.system_id;

-- name: ReopenBoardsOfShard :exec
WITH held AS (
    SELECT b.system_id FROM check_boards b
    WHERE b.cells_to > @day AND EXISTS (SELECT FROM check_schedule t WHERE t.system_id = b.system_id AND t.shard = @shard AND t.runs)
    ORDER BY b.system_id FOR UPDATE OF b
)
UPDATE check_boards b SET cells_to = @day FROM held h WHERE b.system_id = h.system_id;

-- name: EnsureSystems :exec
INSERT INTO check_system_states (system_id, since_ms) SELECT u.id, @at_ms::bigint FROM unnest(@systems::uuid[]) AS u(id)
ORDER BY u.id ON CONFLICT DO NOTHING;

-- name: LockSystems :many
SELECT system_id, status, since_ms, target, reason, source, troubled FROM check_system_states WHERE system_id = ANY(@systems::uuid[])
ORDER BY system_id FOR UPDATE;

-- name: SystemTargets :many
SELECT t.system_id, t.id AS target, t.check_id, c.name AS check_name, coalesce(t.scope->'system'->>'name', '')::text AS system_name,
       coalesce(t.scope->'environment'->>'name', '')::text AS environment_name, coalesce(s.status, 0)::smallint AS status,
       coalesce(s.since_ms, t.since_ms)::bigint AS since_ms, coalesce(s.reason, '')::text AS reason
FROM check_targets t JOIN health_checks c ON c.id = t.check_id LEFT JOIN check_states s ON s.target = t.id
WHERE t.system_id = ANY(@systems::uuid[]) AND t.active AND NOT t.gone
ORDER BY t.system_id, t.id;

-- name: UnknownTargets :many
-- UnknownTargets are those of the targets of which nothing is known.
SELECT t.id AS target, t.system_id, t.check_id, c.name AS check_name, coalesce(t.scope->'system'->>'name', '')::text AS system_name,
       coalesce(t.scope->'environment'->>'name', '')::text AS environment_name, s.reason, s.last_slot
FROM check_targets t JOIN health_checks c ON c.id = t.check_id JOIN check_states s ON s.target = t.id
WHERE t.id = ANY(@targets::int[]) AND s.status = 0 AND t.active AND NOT t.gone
ORDER BY t.id;

-- name: PutSystems :exec
UPDATE check_system_states s
SET status = u.status, since_ms = u.since_ms, target = nullif(u.target, 0), reason = u.reason, source = u.source, troubled = u.troubled
FROM (SELECT unnest(@systems::uuid[]) AS system_id, unnest(@statuses::smallint[]) AS status, unnest(@since::bigint[]) AS since_ms,
             unnest(@targets::int[]) AS target, unnest(@reasons::text[]) AS reason, unnest(@sources::text[]) AS source,
             unnest(@troubled::boolean[]) AS troubled) u
WHERE s.system_id = u.system_id
  AND (s.status, s.since_ms, s.target, s.reason, s.source, s.troubled)
      IS DISTINCT FROM (u.status, u.since_ms, nullif(u.target, 0), u.reason, u.source, u.troubled);

-- name: SystemOverrides :many
SELECT * FROM check_overrides WHERE system_id = ANY(@systems::uuid[]) ORDER BY system_id, since_ms, source, key;

-- name: DropOverrides :many
-- DropOverrides lifts those of a key from all other systems.
DELETE FROM check_overrides WHERE source = @source AND key = @key AND system_id <> ALL(@systems::uuid[]) RETURNING system_id;

-- name: PutOverrides :many
-- PutOverrides returns the systems whose override is new or different.
INSERT INTO check_overrides AS o (system_id, source, key, status, reason, since_ms)
SELECT u.system_id, @source, @key, u.status, u.reason, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
FROM (SELECT unnest(@systems::uuid[]) AS system_id, unnest(@statuses::smallint[]) AS status, unnest(@reasons::text[]) AS reason) u
ORDER BY u.system_id
ON CONFLICT (system_id, source, key) DO UPDATE SET status = excluded.status, reason = excluded.reason
WHERE (o.status, o.reason) IS DISTINCT FROM (excluded.status, excluded.reason)
RETURNING system_id;

-- name: LockLocations :exec
SELECT pg_advisory_xact_lock(hashtextextended('health check locations', 0));

-- name: FindLocation :one
-- FindLocation registers a process at a location that is there: at the one whose probes use that name, or that has it.
UPDATE check_locations SET labels = @labels
WHERE id = (SELECT l.id FROM check_locations l WHERE l.removed_at IS NULL AND @name_key::text IN (l.probe_key, l.name_key)
            ORDER BY l.probe_key IS NOT DISTINCT FROM @name_key::text DESC LIMIT 1)
RETURNING id;

-- name: DropRemovedLocations :exec
-- DropRemovedLocations leaves those from which targets have a history, which names them.
DELETE FROM check_locations o WHERE o.removed_at < now() - interval '30 days'
    AND NOT EXISTS (SELECT FROM check_location_targets l WHERE l.location = o.id);

-- name: PutLocation :one
-- PutLocation makes a location with the lowest free number.
INSERT INTO check_locations AS l (id, name, name_key, labels)
SELECT min(n.id), @name, @name_key, @labels FROM generate_series(1, 500) AS n(id)
WHERE NOT EXISTS (SELECT FROM check_locations o WHERE o.id = n.id)
HAVING min(n.id) IS NOT NULL
ON CONFLICT (name_key) DO UPDATE SET labels = excluded.labels
RETURNING l.id;

-- name: PutClosedAddresses :exec
INSERT INTO check_closed_addresses AS c (address) SELECT DISTINCT unnest(@addresses::text[]) ORDER BY 1
ON CONFLICT (address) DO UPDATE SET seen_at = now() WHERE c.seen_at < now() - interval '1 hour';

-- name: DropClosedAddresses :exec
-- Addresses that have left the settings stay closed for a day.
DELETE FROM check_closed_addresses WHERE seen_at < now() - interval '1 day';

-- name: ClosedAddresses :many
SELECT address FROM check_closed_addresses ORDER BY address;

-- name: PutLocationShards :exec
INSERT INTO check_claims (shard, location)
SELECT w.shard, @location::smallint FROM unnest(@shards::smallint[]) AS w(shard)
WHERE NOT EXISTS (SELECT FROM check_claims c WHERE c.shard = w.shard);

-- name: EnsureStates :exec
INSERT INTO check_states (target, since_ms, last_slot)
SELECT t.id, @at_ms::bigint, @at_ms::bigint FROM check_targets t
WHERE t.id = ANY(@targets::int[]) AND t.located AND t.active AND NOT t.gone
ORDER BY t.id ON CONFLICT DO NOTHING;

-- name: LockStates :many
-- LockStates are the states of located targets, locked until the transaction ends.
SELECT s.target, s.status, s.since_ms, s.last_slot, s.reason, t.system_id, h.location_rule
FROM check_states s JOIN check_targets t ON t.id = s.target JOIN health_checks h ON h.id = t.check_id
WHERE s.target = ANY(@targets::int[]) AND t.located AND t.active AND NOT t.gone
ORDER BY s.target FOR UPDATE OF s;

-- name: LocationStates :many
-- began_ms is when what the status stands for began: the first run of its streak. since_ms is when the status changed last.
SELECT l.target, o.name, coalesce(s.status, 0)::smallint AS status, coalesce(s.reason, '')::text AS reason,
       coalesce(s.since_ms, 0)::bigint AS since_ms,
       coalesce(least(s.since_ms, nullif(CASE s.status WHEN 0 THEN s.erring_ms ELSE s.failing_ms END, 0)), l.since_ms)::bigint AS began_ms
FROM check_location_targets l JOIN check_locations o ON o.id = l.location LEFT JOIN check_states s ON s.target = l.id
WHERE l.target = ANY(@targets::int[]) AND NOT l.gone
ORDER BY l.target, l.location <> 0, o.name_key;

-- name: LostShards :many
-- LostShards are shards of probes that nobody has claimed for some time, with targets whose state is known.
SELECT c.shard, o.name FROM check_claims c JOIN check_locations o ON o.id = c.location
WHERE c.location <> 0 AND c.claimed_to < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - @lost_ms::bigint
  AND EXISTS (SELECT FROM check_schedule t JOIN check_states s ON s.target = t.id WHERE t.shard = c.shard AND t.runs AND s.status <> 0)
ORDER BY c.shard;

-- name: LockLostShard :one
-- LockLostShard keeps probes from claiming the shard until the transaction ends. No row: one has claimed it.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms FROM check_claims
WHERE shard = @shard AND claimed_to < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - @lost_ms::bigint
FOR UPDATE SKIP LOCKED;

-- name: KnownOfShard :many
SELECT t.id, t.target, t.system_id, s.status, s.last_slot, s.cause, s.counts
FROM check_schedule t JOIN check_states s ON s.target = t.id
WHERE t.shard = @shard AND t.runs AND s.status <> 0
ORDER BY t.target LIMIT @max_rows;
