-- name: BeginFeed :exec
INSERT INTO feed_state DEFAULT VALUES ON CONFLICT DO NOTHING;

-- name: FeedNow :one
-- The position from which the first poll continues. since is null without an earlier one.
SELECT pg_current_snapshot()::text AS snapshot, statement_timestamp()::timestamptz AS at,
       coalesce((SELECT s.since FROM feed_state s), 'epoch')::timestamptz AS since;

-- name: LookAtFeed :many
-- Changes that were committed since a poll, up to a limit: visible to this statement, but not to that poll. Always
-- returns a row, for the position of the next poll; a row without a kind is no change. went_back reports that the
-- database is older than at that poll.
WITH now AS MATERIALIZED (
    SELECT pg_current_snapshot() AS snapshot, statement_timestamp() AS at, coalesce((SELECT s.since FROM feed_state s), 'epoch') AS since
), before AS (
    SELECT CAST(@before::text AS pg_snapshot) AS snapshot
)
SELECT n.snapshot::text AS snapshot, n.at::timestamptz AS looked_at, n.since::timestamptz AS since,
       (pg_snapshot_xmax(n.snapshot) < pg_snapshot_xmax(b.snapshot))::boolean AS went_back,
       e.person_id, coalesce(e.sight, '')::text AS sight, coalesce(e.sight_ref, '')::text AS sight_ref,
       coalesce(e.kind, '')::text AS kind, coalesce(e.type, '')::text AS type, coalesce(e.ref, '')::text AS ref
FROM now n CROSS JOIN before b LEFT JOIN LATERAL (
    SELECT f.person_id, f.sight, f.sight_ref, f.kind, f.type, f.ref FROM feed_events f
    WHERE f.xact >= pg_snapshot_xmin(b.snapshot) AND NOT pg_visible_in_snapshot(f.xact, b.snapshot)
    LIMIT @most
) e ON true;

-- name: FeedSince :many
-- Entries for a person from a time on, up to a limit.
SELECT f.person_id, coalesce(f.sight, '')::text AS sight, coalesce(f.sight_ref, '')::text AS sight_ref,
       f.kind, coalesce(f.type, '')::text AS type, f.ref
FROM feed_events f WHERE f.at >= @at AND (f.sight IS NOT NULL OR f.person_id = @person_id::uuid)
LIMIT @most;

-- name: PruneFeed :exec
DELETE FROM feed_events f WHERE f.at < now() - @older_than::interval;
