-- name: AcquireLease :one
-- Returns no row when the limit is reached.
INSERT INTO held_places (id, kind, principal, held_until)
SELECT @id::uuid, @kind::text, @principal::text, clock_timestamp() + make_interval(secs => @hold_seconds::float8)
WHERE (SELECT count(*) FROM held_places h
       WHERE h.principal = @principal::text AND h.kind = @kind::text AND h.held_until > clock_timestamp()) < @most::bigint
RETURNING id;

-- name: RenewLease :exec
INSERT INTO held_places (id, kind, principal, held_until)
VALUES (@id, @kind, @principal, clock_timestamp() + make_interval(secs => @hold_seconds::float8))
ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until;

-- name: ReleaseLease :exec
DELETE FROM held_places WHERE id = @id;

-- name: DeleteExpiredLeases :execrows
DELETE FROM held_places WHERE held_until <= clock_timestamp();
