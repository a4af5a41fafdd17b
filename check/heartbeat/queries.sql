-- name: Beat :one
-- Accepts reports for paused targets, too, so that a job need not know. The token must be the current one, or the previous one
-- within its grace period.
INSERT INTO check_heartbeats AS b (target, at, failed, message, duration_ms)
SELECT t.id, clock_timestamp(), @failed, @message, @duration_ms FROM check_targets t LEFT JOIN check_heartbeat_tokens k ON k.target = t.id
WHERE t.id = @target AND NOT t.gone
  AND (coalesce(k.generation, 0) = sqlc.arg(generation)::integer OR k.generation - 1 = sqlc.arg(generation)::integer
      AND k.former_until > clock_timestamp())
ON CONFLICT (target) DO UPDATE
SET at = excluded.at, failed = excluded.failed, message = excluded.message, duration_ms = excluded.duration_ms
RETURNING b.at, (SELECT t.active FROM check_targets t WHERE t.id = b.target)::boolean AS active;

-- name: AcceptsGet :one
-- Whether the check of a token's target accepts GET; the token as for Beat.
SELECT coalesce((c.definition->'config'->'acceptGet')::text = 'true', false)::boolean AS accepts
FROM check_targets t LEFT JOIN check_heartbeat_tokens k ON k.target = t.id LEFT JOIN health_checks c ON c.id = t.check_id
WHERE t.id = @target AND NOT t.gone
  AND (coalesce(k.generation, 0) = sqlc.arg(generation)::integer OR k.generation - 1 = sqlc.arg(generation)::integer
      AND k.former_until > clock_timestamp());

-- name: Last :one
-- A due time before the current schedule was set is none that the job had to keep.
SELECT greatest(t.since_ms, (SELECT max(s.from_ms) FROM check_job_schedules s WHERE s.check_id = t.check_id))::bigint AS since_ms,
    b.at, coalesce(b.failed, false) AS failed, coalesce(b.message, '') AS message,
    coalesce(b.duration_ms, 0)::bigint AS duration_ms
FROM check_targets t LEFT JOIN check_heartbeats b ON b.target = t.id WHERE t.id = @target;

-- name: Replace :one
INSERT INTO check_heartbeat_tokens AS k (target, generation, former_until)
SELECT t.id, 1, clock_timestamp() + make_interval(secs => @grace::float8) FROM check_targets t WHERE t.id = @target AND NOT t.gone
ON CONFLICT (target) DO UPDATE SET generation = k.generation + 1, former_until = excluded.former_until, replaced_at = clock_timestamp()
RETURNING generation, former_until;
