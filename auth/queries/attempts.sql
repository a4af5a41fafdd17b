-- name: LockAttempts :exec
-- Attempts on one bucket take turns. Buckets of e-mails (class 1) are locked before those of addresses (class 2).
SELECT pg_advisory_xact_lock(@class::int, hashtext(encode(@bucket::bytea, 'hex')));

-- name: CountAttempts :one
-- An attempt that nobody settled, as its process died, counts as failed after half a minute. retry_seconds is when
-- the failure that fills the limit (skipping the newest @skip) leaves the window.
WITH recent AS (
    SELECT at, failed OR at < clock_timestamp() - interval '30 seconds' AS failed
    FROM login_attempts
    WHERE bucket = @bucket AND at > clock_timestamp() - make_interval(secs => @window_seconds::float8)
)
SELECT count(*) AS total,
       count(*) FILTER (WHERE recent.failed) AS failed,
       coalesce((SELECT extract(epoch FROM f.at - clock_timestamp()) + @window_seconds::float8
                 FROM recent f WHERE f.failed ORDER BY f.at DESC OFFSET @skip::int LIMIT 1), 0)::float8 AS retry_seconds
FROM recent;

-- name: InsertAttempt :one
INSERT INTO login_attempts (bucket) VALUES (@bucket) RETURNING id;

-- name: FailAttempts :exec
UPDATE login_attempts SET failed = true WHERE id = ANY(@ids::bigint[]);

-- name: DeleteAttempts :exec
DELETE FROM login_attempts WHERE id = ANY(@ids::bigint[]);

-- name: DeleteFailures :exec
DELETE FROM login_attempts WHERE bucket = @bucket AND failed;

-- name: DeleteOldAttempts :execrows
DELETE FROM login_attempts WHERE at < now() - make_interval(secs => @window_seconds::float8);
