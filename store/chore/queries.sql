-- name: TakeLease :one
-- Nobody gets a lease that somebody holds.
INSERT INTO leases (name, holder, leased_until) VALUES (@name, @holder, clock_timestamp() + make_interval(secs => @seconds::float8))
ON CONFLICT (name) DO UPDATE
SET holder = excluded.holder, term = leases.term + 1, since = clock_timestamp(), leased_until = clock_timestamp() + make_interval(secs => @seconds::float8)
WHERE leases.leased_until <= clock_timestamp()
RETURNING term;

-- name: LeaseLeft :one
-- How many seconds are left of a lease, and who holds it.
SELECT holder, extract(epoch FROM leased_until - clock_timestamp())::float8 AS seconds FROM leases WHERE name = @name;

-- name: RenewLease :one
-- A lease that has run out is not renewed, even if nobody has taken it. What has begun is noted by its holder alone.
WITH held AS (
    UPDATE leases SET leased_until = clock_timestamp() + make_interval(secs => @seconds::float8)
    WHERE leases.name = @name AND term = @term AND leased_until > clock_timestamp()
    RETURNING term
), noted AS (
    INSERT INTO chore_runs (name, began_at)
    SELECT unnest(@chores::text[]), clock_timestamp() - make_interval(secs => unnest(@ages::float8[])) FROM held
    ON CONFLICT (name) DO UPDATE SET began_at = excluded.began_at
)
SELECT term FROM held;

-- name: EndLease :exec
UPDATE leases SET leased_until = clock_timestamp() WHERE name = @name AND term = @term;

-- name: Ages :many
-- How many seconds ago each chore last began.
SELECT name, extract(epoch FROM clock_timestamp() - began_at)::float8 AS seconds FROM chore_runs;

-- name: Announce :exec
SELECT pg_notify(@channel::text, '');
