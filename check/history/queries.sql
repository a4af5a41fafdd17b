-- name: Now :one
-- Milliseconds since 1970.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms;

-- name: HasResults :one
SELECT EXISTS (SELECT 1 FROM check_results WHERE slot / 3600000 % 8 = sqlc.arg(part)::bigint) AS has;

-- name: BeginSeal :exec
-- Restarts a sealing that was started for an earlier time.
INSERT INTO check_seals (part, before_slot, target, sealed) VALUES (@part, @before_slot, -1, 0)
ON CONFLICT (part) DO UPDATE SET before_slot = excluded.before_slot, target = -1, sealed = 0
WHERE check_seals.before_slot <> excluded.before_slot;

-- name: LockSeal :one
SELECT before_slot, target, sealed FROM check_seals WHERE part = @part FOR UPDATE;

-- name: MoveSeal :exec
UPDATE check_seals SET target = @target, sealed = @sealed WHERE part = @part;

-- name: EndSeal :exec
DELETE FROM check_seals WHERE part = @part;

-- name: Unsealed :many
-- Results of one partition, by target and slot.
SELECT target, slot, late_ms, took_us, held, verdict, cause, code, kept FROM check_results
WHERE slot / 3600000 % 8 = sqlc.arg(part)::bigint AND target > @after AND slot < @before_slot
ORDER BY target, slot LIMIT @max_rows;

-- name: UnsealedOf :many
SELECT target, slot, late_ms, took_us, held, verdict, cause, code, kept FROM check_results
WHERE slot / 3600000 % 8 = sqlc.arg(part)::bigint AND target = @target AND slot < @before_slot
ORDER BY slot;

-- name: BlocksAt :many
-- Blocks of pairs of a target and an hour, as far as they exist.
SELECT b.target, b.hour, b.data
FROM (SELECT unnest(@targets::integer[]) AS target, unnest(@hours::integer[]) AS hour) w
JOIN check_blocks b ON b.target = w.target AND b.hour = w.hour;

-- name: SaveBlocks :exec
INSERT INTO check_blocks (target, hour, data)
SELECT unnest(@targets::integer[]), unnest(@hours::integer[]), unnest(@datas::bytea[])
ON CONFLICT (target, hour) DO UPDATE SET data = excluded.data;

-- name: SaveHours :exec
INSERT INTO check_hours (target, hour, passed, failed, errored, skipped, answered, took_sum, took_min, took_max, detail)
SELECT unnest(@targets::integer[]), unnest(@hours::integer[]), unnest(@passed::integer[]), unnest(@failed::integer[]),
    unnest(@errored::integer[]),
       unnest(@skipped::integer[]), unnest(@answered::integer[]), unnest(@took_sum::bigint[]),
       unnest(@took_min::integer[]), unnest(@took_max::integer[]), unnest(@details::bytea[])
ON CONFLICT (target, hour) DO UPDATE
SET passed = excluded.passed, failed = excluded.failed, errored = excluded.errored, skipped = excluded.skipped,
    answered = excluded.answered, took_sum = excluded.took_sum, took_min = excluded.took_min,
    took_max = excluded.took_max, detail = excluded.detail;

-- name: SaveDays :exec
INSERT INTO check_days (target, day, passed, failed, errored, skipped, answered, took_sum, took_min, took_max, detail)
SELECT unnest(@targets::integer[]), unnest(@days::integer[]), unnest(@passed::integer[]), unnest(@failed::integer[]),
    unnest(@errored::integer[]),
       unnest(@skipped::integer[]), unnest(@answered::integer[]), unnest(@took_sum::bigint[]),
       unnest(@took_min::integer[]), unnest(@took_max::integer[]), unnest(@details::bytea[])
ON CONFLICT (target, day) DO UPDATE
SET passed = excluded.passed, failed = excluded.failed, errored = excluded.errored, skipped = excluded.skipped,
    answered = excluded.answered, took_sum = excluded.took_sum, took_min = excluded.took_min,
    took_max = excluded.took_max, detail = excluded.detail;

-- name: ReopenDays :exec
DELETE FROM check_days_done WHERE day = ANY (@days::integer[]);

-- name: ClearResults :one
SELECT check_results_clear(@part::integer, @before_slot::bigint, @sealed::bigint)::boolean AS cleared;

-- name: DaysDone :many
SELECT day FROM check_days_done WHERE day >= @first ORDER BY day;

-- name: TargetsOfDay :many
SELECT DISTINCT target FROM check_hours WHERE hour >= @first AND hour < @before ORDER BY target;

-- name: HoursOf :many
SELECT target, hour, passed, failed, errored, skipped, answered, took_sum, took_min, took_max, detail FROM check_hours
WHERE target = ANY (@targets::integer[]) AND hour >= @first AND hour < @before
ORDER BY target, hour;

-- name: DaysOf :many
SELECT target, day, passed, failed, errored, skipped, answered, took_sum, took_min, took_max, detail FROM check_days
WHERE target = ANY (@targets::integer[]) AND day >= @first AND day < @before
ORDER BY target, day;

-- name: DayDone :exec
INSERT INTO check_days_done (day) VALUES (@day) ON CONFLICT DO NOTHING;

-- name: ResultsOf :many
-- Unsealed results, and possibly some sealed ones.
SELECT target, slot, late_ms, took_us, held, verdict, cause, code, kept FROM check_results
WHERE target = ANY (@targets::integer[]) AND slot >= @first AND slot < @before
ORDER BY target, slot;

-- name: BlocksOf :many
SELECT target, hour, data FROM check_blocks
WHERE target = ANY (@targets::integer[]) AND hour >= @first AND hour < @before
ORDER BY target, hour;

-- name: NewestResults :many
SELECT target, slot, late_ms, took_us, held, verdict, cause, code, kept FROM check_results
WHERE target = @target AND slot < @before AND slot >= @first
ORDER BY slot DESC;

-- name: NewestBlocks :many
SELECT target, hour, data FROM check_blocks
WHERE target = @target AND hour < @before AND hour >= @first
ORDER BY hour DESC LIMIT @max_rows;

-- name: Report :one
SELECT report FROM check_reports WHERE slot / 86400000 % 36 = sqlc.arg(part)::bigint AND target = @target AND slot = @slot;

-- name: TransitionsOf :many
-- Transitions of single targets, from the last one before the period; with the first one after it if what it stands for began before.
SELECT t.target::integer AS target, t.at_ms, coalesce(t.began_ms, t.at_ms)::bigint AS began_ms, t.after, t.idle,
    CASE WHEN @with_reasons::boolean THEN t.reason ELSE '' END::text AS reason
FROM (SELECT unnest(@targets::integer[]) AS id) w
JOIN check_transitions t ON t.target = w.id
WHERE t.at_ms >= coalesce((SELECT max(f.at_ms) FROM check_transitions f WHERE f.target = w.id AND f.at_ms <= @first), @first)
  AND (t.at_ms < @before OR t.began_ms < @before
      AND t.at_ms = (SELECT min(n.at_ms) FROM check_transitions n WHERE n.target = w.id AND n.at_ms >= @before))
ORDER BY t.target, t.at_ms, t.id;

-- name: FactsOf :many
-- What the intervals of targets depend on besides their history: of single targets, or of all targets of systems.
SELECT t.id, t.system_id, coalesce(t.made_ms, t.since_ms)::bigint AS made_ms, t.interval_ms, t.phase_ms, t.active,
    coalesce(h.claimed_to, 0)::bigint AS claimed_to, coalesce(h.settled_to, 0)::bigint AS settled_to,
    (j.config IS NOT NULL)::boolean AS job,
    (CASE jsonb_typeof(j.config -> 'everySeconds') WHEN 'number' THEN (j.config ->> 'everySeconds')::numeric
        ELSE t.interval_ms / 1000 END)::integer AS every_seconds,
    (CASE jsonb_typeof(j.config -> 'graceSeconds') WHEN 'number' THEN (j.config ->> 'graceSeconds')::numeric ELSE 60 END)::integer AS grace
FROM check_targets t LEFT JOIN check_shards h ON h.shard = t.shard
LEFT JOIN LATERAL (
    SELECT c.definition -> 'collectors' -> 0 -> 'config' AS config FROM health_checks c
    WHERE c.id = t.check_id AND c.strategy = 'healthcheck-heartbeat.heartbeat'
) j ON true
WHERE t.id = ANY (@targets::integer[]) OR t.system_id = ANY (@systems::uuid[]) AND NOT t.gone
ORDER BY t.system_id, t.id;

-- name: SchedulesOf :many
-- The cron schedules that the jobs of targets have had, in the order of time.
SELECT t.id AS target, s.from_ms, s.cron, s.time_zone, s.grace_seconds
FROM check_targets t JOIN check_job_schedules s ON s.check_id = t.check_id
WHERE t.id = ANY (@targets::integer[]) ORDER BY t.id, s.from_ms;

-- name: SystemsOfJobs :many
-- Systems whose checks that run all await jobs with a cron schedule.
SELECT t.system_id FROM check_targets t LEFT JOIN health_checks c ON c.id = t.check_id
WHERE t.system_id = ANY (@systems::uuid[]) AND t.active AND NOT t.gone
GROUP BY t.system_id
HAVING bool_and(c.strategy = 'healthcheck-heartbeat.heartbeat'
                AND coalesce(c.definition -> 'collectors' -> 0 -> 'config' ->> 'cron', '') <> '');

-- name: ChangesOf :many
-- Transitions and gaps of targets in a period, in one result; a gap has no statuses.
SELECT target::integer AS target, at_ms AS from_ms, at_ms AS to_ms, coalesce(began_ms, at_ms)::bigint AS began_ms,
    before, after, 0 AS missed, reason
FROM check_transitions
WHERE check_transitions.target = ANY (@targets::integer[]) AND at_ms >= @first AND at_ms < @before AND before <> after
UNION ALL
SELECT target, from_slot, to_slot, from_slot, -1::smallint, -1::smallint, missed, reason FROM check_gaps
WHERE check_gaps.target = ANY (@targets::integer[]) AND to_slot >= @first AND from_slot < @before
ORDER BY from_ms, target;

-- name: GapsOf :many
SELECT target, from_slot, to_slot, missed, reason FROM check_gaps
WHERE target = ANY (@targets::integer[]) AND to_slot >= @first AND from_slot < @before
ORDER BY target, from_slot;

-- name: SystemsWithTargets :many
SELECT DISTINCT system_id FROM check_targets WHERE system_id > @after ORDER BY system_id LIMIT @max_rows;

-- name: HoursOfSystems :many
-- Durations of the hours of a day per system.
SELECT t.system_id, h.hour, sum(h.answered)::bigint AS answered, sum(h.took_sum)::bigint AS took_sum
FROM check_schedule t JOIN check_hours h ON h.target = t.id
WHERE t.system_id = ANY (@systems::uuid[]) AND h.hour >= @first AND h.hour < @before
GROUP BY t.system_id, h.hour ORDER BY t.system_id, h.hour;

-- name: WorstOfSystems :many
-- Worst status of each system in a period, including the one at its beginning. Statuses are ordered as health.WorseThan does.
SELECT w.id::uuid AS system_id, (ARRAY[0, 1, 4, 2, 3])[1 + greatest(
    coalesce((SELECT array_position(ARRAY[0, 1, 4, 2, 3], t.after::integer) - 1 FROM check_transitions t
        WHERE t.system_id = w.id AND t.target IS NULL AND t.at_ms <= @first ORDER BY t.at_ms DESC, t.id DESC LIMIT 1), 0),
    coalesce((SELECT max(array_position(ARRAY[0, 1, 4, 2, 3], t.after::integer) - 1) FROM check_transitions t
        WHERE t.system_id = w.id AND t.target IS NULL AND t.at_ms > @first AND t.at_ms < @before), 0))]::smallint AS worst
FROM (SELECT unnest(@systems::uuid[]) AS id) w;

-- name: Boards :many
SELECT system_id, through, hours, cells, cells_to FROM check_boards WHERE system_id = ANY (@systems::uuid[]);

-- name: LockBoards :many
-- Writers of older history wait, and then lower cells_to.
SELECT system_id, through, hours, cells, cells_to FROM check_boards WHERE system_id = ANY (@systems::uuid[])
ORDER BY system_id FOR UPDATE;

-- name: SaveBoards :exec
-- The column days is of the version before.
INSERT INTO check_boards (system_id, through, days, hours, cells, cells_to)
SELECT unnest(@systems::uuid[]), @through::integer, '', unnest(@hours::bytea[]), unnest(@cells::bytea[]), unnest(@cells_to::integer[])
ON CONFLICT (system_id) DO UPDATE
SET through = greatest(check_boards.through, excluded.through), hours = excluded.hours, cells = excluded.cells,
    cells_to = excluded.cells_to;

-- name: ReopenBoardsOf :exec
-- Without a target the days of its system are others.
UPDATE check_boards SET cells_to = 0 WHERE system_id IN (SELECT t.system_id FROM check_targets t WHERE t.id = ANY (@targets::integer[]));

-- name: StatesOfSystems :many
SELECT system_id, status, since_ms FROM check_system_states WHERE system_id = ANY (@systems::uuid[]);

-- name: CountTargets :one
-- Bounded by a limit.
SELECT count(*) FROM (SELECT FROM check_targets WHERE system_id = ANY (@systems::uuid[]) LIMIT @at_most) counted;

-- name: LiveOfSystems :many
-- Durations of the results of three hours, which are the unsealed ones unless sealing lags; only those after the last hour in the
-- board of the system.
SELECT t.system_id, (r.slot / 3600000)::integer AS hour,
       count(*) FILTER (WHERE r.verdict = 0 OR r.verdict = 1 AND r.cause IN (9, 10)) AS answered,
       coalesce(sum(r.took_us) FILTER (WHERE r.verdict = 0 OR r.verdict = 1 AND r.cause IN (9, 10)), 0)::bigint AS took_sum
FROM check_schedule t LEFT JOIN check_boards b ON b.system_id = t.system_id
JOIN check_results r ON r.target = t.id AND r.slot >= greatest((coalesce(b.through, 0)::bigint + 1) * 3600000, @first::bigint)
WHERE t.system_id = ANY (@systems::uuid[])
  AND (r.slot / 3600000 % 8 = sqlc.arg(part_a)::bigint OR r.slot / 3600000 % 8 = sqlc.arg(part_b)::bigint
      OR r.slot / 3600000 % 8 = sqlc.arg(part_c)::bigint)
GROUP BY 1, 2;

-- name: RunsOf :many
-- The ids under which the runs of targets are stored: a located target has its runs under those of its locations, also of former ones,
-- and those before it had locations under its own.
SELECT s.id::integer AS id FROM check_schedule s WHERE s.target = ANY (@targets::integer[])
UNION
SELECT w.id::integer FROM (SELECT unnest(@targets::integer[]) AS id) w WHERE NOT EXISTS (SELECT FROM check_targets t WHERE t.id = w.id)
ORDER BY id;

-- name: Retention :one
SELECT raw_days, hourly_days, daily_days, revision, updated_at FROM check_retention;

-- name: LockRetention :one
SELECT raw_days, hourly_days, daily_days, revision, updated_at FROM check_retention FOR UPDATE;

-- name: SetRetention :execrows
UPDATE check_retention
SET raw_days = @raw_days, hourly_days = @hourly_days, daily_days = @daily_days, revision = revision + 1, updated_at = clock_timestamp()
WHERE (raw_days, hourly_days, daily_days) <> (@raw_days, @hourly_days, @daily_days);

-- name: PruneBlocks :execrows
DELETE FROM check_blocks WHERE hour < @before;

-- name: PruneHours :execrows
DELETE FROM check_hours WHERE hour < @before;

-- name: PruneDays :execrows
DELETE FROM check_days WHERE day < @before;

-- name: PruneDaysDone :exec
DELETE FROM check_days_done WHERE day < @before;

-- name: PruneGaps :execrows
DELETE FROM check_gaps WHERE to_slot < @before;

-- name: PruneTransitions :execrows
-- The last one before the limit stays, because it holds the status from there on.
DELETE FROM check_transitions t WHERE t.at_ms < @before AND EXISTS (
    SELECT FROM check_transitions n WHERE n.system_id = t.system_id AND n.target IS NOT DISTINCT FROM t.target
      AND n.at_ms < @before AND (n.at_ms, n.id) > (t.at_ms, t.id));

-- name: OldestReport :one
-- Oldest row in the partition of a day; 0 when it is empty. Rows of a partition are stored in insertion order.
SELECT coalesce((SELECT slot FROM check_reports WHERE slot / 86400000 % 36 = sqlc.arg(part)::bigint LIMIT 1), 0)::bigint AS slot;

-- name: ClearReports :exec
SELECT check_reports_clear(@day::bigint);

-- name: GoneTargets :many
-- Located ones come after what ran in their locations. Rows of left locations stay until their history is too old.
SELECT g.id::integer AS id FROM (
    SELECT l.id FROM check_location_targets l JOIN check_targets t ON t.id = l.target
    WHERE t.gone OR l.gone AND coalesce(l.left_ms, 0) < @left_before::bigint
    UNION ALL
    SELECT t.id FROM check_targets t WHERE t.gone AND NOT EXISTS (SELECT FROM check_location_targets l WHERE l.target = t.id)
) g ORDER BY g.id LIMIT @max_rows;

-- name: ForgetResults :execrows
DELETE FROM check_results WHERE target = ANY (@targets::integer[]);

-- name: ForgetReports :execrows
DELETE FROM check_reports WHERE target = ANY (@targets::integer[]);

-- name: ForgetBlocks :execrows
DELETE FROM check_blocks WHERE target = ANY (@targets::integer[]);

-- name: ForgetHours :execrows
DELETE FROM check_hours WHERE target = ANY (@targets::integer[]);

-- name: ForgetDays :execrows
DELETE FROM check_days WHERE target = ANY (@targets::integer[]);

-- name: ForgetTransitions :execrows
DELETE FROM check_transitions WHERE target = ANY (@targets::integer[]);

-- name: ForgetGaps :execrows
DELETE FROM check_gaps WHERE target = ANY (@targets::integer[]);

-- name: ForgetTargets :execrows
DELETE FROM check_targets WHERE id = ANY (@targets::integer[]) AND gone;

-- name: ForgetLocationTargets :execrows
DELETE FROM check_location_targets l USING check_targets t
WHERE l.id = ANY (@targets::integer[]) AND t.id = l.target AND (l.gone OR t.gone);

-- name: ForgetBoards :exec
DELETE FROM check_boards b WHERE NOT EXISTS (SELECT FROM check_targets t WHERE t.system_id = b.system_id);

-- name: LockSeals :exec
LOCK TABLE check_seals IN EXCLUSIVE MODE;

-- name: InsertResult :exec
INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code, kept)
VALUES (@target, @slot, @late_ms, @took_us, @held, @verdict, @cause, @code, @kept)
ON CONFLICT DO NOTHING;

-- name: LastResults :many
-- Newest unsealed results of targets, without skipped slots.
SELECT r.target, r.slot, r.late_ms, r.took_us, r.held, r.verdict, r.cause, r.code, r.kept
FROM (SELECT unnest(@targets::integer[]) AS id) w
CROSS JOIN LATERAL (SELECT n.* FROM check_results n WHERE n.target = w.id AND n.verdict <> 3 ORDER BY n.slot DESC LIMIT 1) r;

-- name: LastBlocks :many
SELECT b.target, b.hour, b.data
FROM (SELECT unnest(@targets::integer[]) AS id) w
CROSS JOIN LATERAL (SELECT l.target, l.hour, l.data FROM check_blocks l WHERE l.target = w.id ORDER BY l.hour DESC LIMIT 1) b;
