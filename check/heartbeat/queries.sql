-- name: Beat :one
-- A target that is paused takes them, so that its job needs not know.
INSERT INTO check_heartbeats AS b (target, at, failed, message, duration_ms)
SELECT t.id, clock_timestamp(), @failed, @message, @duration_ms FROM check_targets t WHERE t.id = @target AND NOT t.gone
ON CONFLICT (target) DO UPDATE SET at = excluded.at, failed = excluded.failed, message = excluded.message, duration_ms = excluded.duration_ms
RETURNING b.at, (SELECT t.active FROM check_targets t WHERE t.id = b.target)::boolean AS active;

-- name: Last :one
SELECT t.since_ms, b.at, coalesce(b.failed, false) AS failed, coalesce(b.message, '') AS message, coalesce(b.duration_ms, 0)::bigint AS duration_ms
FROM check_targets t LEFT JOIN check_heartbeats b ON b.target = t.id WHERE t.id = @target;
