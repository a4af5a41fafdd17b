-- name: AcquireLease :one
-- Acquires a lease that has expired, and raises its term.
INSERT INTO leases (name, holder, leased_until) VALUES (@name, @holder, clock_timestamp() + make_interval(secs => @seconds::float8))
ON CONFLICT (name) DO UPDATE
SET holder = excluded.holder, term = leases.term + 1, since = clock_timestamp(),
    leased_until = clock_timestamp() + make_interval(secs => @seconds::float8)
WHERE leases.leased_until <= clock_timestamp()
RETURNING term;

-- name: LeaseRemaining :one
-- Holder of a lease and its remaining seconds.
SELECT holder, extract(epoch FROM leased_until - clock_timestamp())::float8 AS seconds FROM leases WHERE name = @name;

-- name: RenewLease :one
-- Extends a lease that has not expired, and stores chore runs of its holder.
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

-- name: ReleaseLease :exec
UPDATE leases SET leased_until = clock_timestamp() WHERE name = @name AND term = @term;

-- name: ChoreAges :many
-- Seconds since each chore last started.
SELECT name, extract(epoch FROM clock_timestamp() - began_at)::float8 AS seconds FROM chore_runs;

-- name: Announce :exec
SELECT pg_notify(@channel::text, '');
