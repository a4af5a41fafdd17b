-- name: Reserve :one
-- Counts an attempt as failed, unless earlier failures still require a wait: then it returns no row. The row is locked by the
-- conflict, so attempts on one bucket are serialized and see each other.
INSERT INTO throttled_failures AS f (bucket, kept_until)
VALUES (@bucket, clock_timestamp() + make_interval(secs => @window_seconds::float8))
ON CONFLICT (bucket) DO UPDATE
SET failures = CASE WHEN f.kept_until <= clock_timestamp() THEN 1 WHEN f.failures >= 1000000 THEN f.failures ELSE f.failures + 1 END,
    last_at = clock_timestamp(), kept_until = excluded.kept_until
WHERE f.kept_until <= clock_timestamp()
   OR f.last_at + make_interval(secs => throttle_wait(f.failures, @free::integer, @first_seconds::float8, @most_seconds::float8))
      <= clock_timestamp()
RETURNING failures;

-- name: Wait :one
-- Seconds until the next attempt of a bucket is allowed; 0 or less when it is allowed now.
SELECT coalesce((
    SELECT extract(epoch FROM f.last_at - clock_timestamp())
         + throttle_wait(f.failures, @free::integer, @first_seconds::float8, @most_seconds::float8)
    FROM throttled_failures f
    WHERE f.bucket = @bucket AND f.kept_until > clock_timestamp()), 0)::float8 AS seconds;

-- name: DecrementFailures :exec
UPDATE throttled_failures SET failures = failures - 1 WHERE bucket = @bucket AND failures > 0;

-- name: ResetFailures :exec
DELETE FROM throttled_failures WHERE bucket = @bucket;

-- name: DeleteOld :execrows
-- Deletes expired buckets, and the oldest ones beyond the maximum.
DELETE FROM throttled_failures
WHERE kept_until <= clock_timestamp()
   OR bucket IN (SELECT f.bucket FROM throttled_failures f ORDER BY f.last_at DESC OFFSET @most::bigint);
