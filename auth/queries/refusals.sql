-- name: CountRefusal :execrows
UPDATE auth_refusals SET more = more + sqlc.arg('refused')::bigint WHERE bucket = @bucket;

-- name: LockRefusals :exec
SELECT pg_advisory_xact_lock(hashtextextended('countersign.auth.refusals', 0));

-- name: CountRefusalSources :one
SELECT count(*) FROM auth_refusals;

-- name: InsertRefusal :one
-- Whether this source is new in its window.
INSERT INTO auth_refusals (bucket, kind, account_id, address, more)
VALUES (@bucket, @kind, sqlc.narg('account_id'), @address, sqlc.arg('refused')::bigint - 1)
ON CONFLICT (bucket) DO UPDATE SET more = auth_refusals.more + sqlc.arg('refused')::bigint
RETURNING (xmax = 0)::boolean AS fresh;

-- name: TakeOldRefusals :many
DELETE FROM auth_refusals WHERE since < now() - make_interval(secs => @window_seconds::float8)
RETURNING kind, account_id, address, more;
