-- name: AddEvents :exec
-- Of one change, and so of one cause.
INSERT INTO events (type, subject, context_key, payload, cause)
SELECT unnest(@types::text[]), unnest(@subjects::text[]), unnest(@context_keys::text[]), unnest(@payloads::jsonb[]),
       event_cause(sqlc.narg('cause')::jsonb);

-- name: Announce :exec
SELECT pg_notify(@channel::text, '');

-- name: LastID :one
SELECT coalesce(max(id), 0)::bigint AS id FROM events;

-- name: NextXID :one
-- A transaction id above all earlier ones: transactions with an id have a lower one.
SELECT pg_current_xact_id()::text::bigint AS xid;

-- name: OldestXID :one
-- The lowest id of a running transaction; all lower ones have ended.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid;

-- name: TypesBetween :many
-- The types of the events that became visible between two watermarks.
SELECT DISTINCT type FROM events WHERE id > @after AND id <= @upto;

-- name: OlderAppends :one
-- Whether a transaction with a lower id than xid still runs that has drawn the id of an event: it shares the lock of
-- event_next_id. Locks have the lower half of transaction ids, which are compared modulo 2^32.
WITH held AS MATERIALIZED (
    SELECT l.locktype, l.database, l.classid, l.objid, l.mode, l.granted, l.virtualtransaction, l.transactionid::text AS xid
    FROM pg_catalog.pg_locks l WHERE l.locktype IN ('advisory', 'transactionid')
)
SELECT EXISTS (
    SELECT FROM held a JOIN held x ON x.virtualtransaction = a.virtualtransaction
    WHERE a.locktype = 'advisory' AND a.classid = 1702259054 AND a.objid = 1 AND a.granted
      AND a.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
      AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock' AND x.granted
      AND ((x.xid::bigint - (@xid::bigint & 4294967295)) & 4294967295) >= 2147483648
) AS hides;

-- name: AddConsumer :execrows
-- A consumer of this version: no version before lanes finds an event above its cursor.
INSERT INTO event_consumers (name, seen, types) VALUES (@name, @fence, @types::text[]) ON CONFLICT DO NOTHING;

-- name: OldCursor :one
-- Waits for a process of a version before lanes that works for the consumer.
SELECT seen FROM event_consumers WHERE name = @name FOR UPDATE;

-- name: SetConsumer :exec
UPDATE event_consumers SET seen = @fence, types = @types::text[], run_at = clock_timestamp() WHERE name = @name;

-- name: RunConsumer :exec
-- Says that a process runs the consumer.
UPDATE event_consumers SET run_at = clock_timestamp() WHERE name = @name;

-- name: AddLanes :exec
INSERT INTO event_lanes (consumer, lane, seen) SELECT @consumer::text, lane, @seen::bigint FROM generate_series(0, 15) lane;

-- name: TakeDeferrals :exec
WITH taken AS (DELETE FROM event_deferrals d WHERE d.consumer = @consumer RETURNING d.*)
INSERT INTO event_retries (consumer, event_id, lane, subject, attempts, error, due_at, dead_at)
SELECT t.consumer, t.event_id, event_lane(t.subject), t.subject, t.attempts, t.error, t.due_at, t.parked_at
FROM taken t JOIN events e ON e.id = t.event_id;

-- name: ReadyLanes :many
-- Lanes with an event to handle or to retry, and lanes whose cursor is far behind the watermark. Events up to one where nothing
-- was left are not looked at again: lanes without events of the types would be read from their cursors each time.
SELECT l.lane FROM event_lanes l CROSS JOIN (SELECT @upto::bigint AS upto, @idle_step::bigint AS idle_step) w
WHERE l.consumer = @consumer AND (
    l.seen <= w.upto - w.idle_step
    OR @clean::bigint < w.upto AND EXISTS (SELECT 1 FROM events e WHERE event_lane(e.subject) = l.lane
        AND e.id > greatest(l.seen, @clean::bigint) AND e.id <= w.upto AND e.type = ANY (@types::text[]))
    OR EXISTS (SELECT 1 FROM event_retries r WHERE r.consumer = l.consumer AND r.lane = l.lane AND r.dead_at IS NULL
        AND r.due_at <= clock_timestamp() AND NOT EXISTS (SELECT 1 FROM event_retries o WHERE o.consumer = r.consumer
            AND o.lane = r.lane AND o.subject = r.subject AND o.dead_at IS NULL AND o.event_id < r.event_id)))
ORDER BY random();

-- name: LockLane :one
-- No row while another process works in the lane, or when the consumer follows more types in a later version. A process
-- that freezes loses its transaction, and so its lock.
SELECT l.seen, EXISTS (SELECT FROM event_retries r WHERE r.consumer = l.consumer AND r.lane = l.lane AND r.dead_at IS NULL) AS waiting,
       set_config('idle_in_transaction_session_timeout', @idle_ms::text, true)::text AS idle
FROM event_lanes l JOIN event_consumers c ON c.name = l.consumer
WHERE l.consumer = @consumer AND l.lane = @lane AND c.types <@ @types::text[] FOR UPDATE OF l SKIP LOCKED;

-- name: NextEvents :many
SELECT id, type, subject, context_key, payload, created_at, cause FROM events
WHERE event_lane(subject) = @lane::smallint AND id > @after AND id <= @upto AND type = ANY (@types::text[])
ORDER BY id LIMIT @max_rows;

-- name: WaitingSubjects :many
SELECT DISTINCT subject FROM event_retries
WHERE consumer = @consumer AND lane = @lane AND subject = ANY (@subjects::text[]) AND dead_at IS NULL;

-- name: DueEvent :one
-- The oldest event to retry. Only the first one of a subject is retried.
SELECT e.id, e.type, e.subject, e.context_key, e.payload, e.created_at, e.cause, r.attempts
FROM event_retries r JOIN events e ON e.id = r.event_id
WHERE r.consumer = @consumer AND r.lane = @lane AND r.dead_at IS NULL AND r.due_at <= clock_timestamp()
  AND NOT EXISTS (SELECT FROM event_retries o WHERE o.consumer = r.consumer AND o.lane = r.lane AND o.subject = r.subject
      AND o.dead_at IS NULL AND o.event_id < r.event_id)
ORDER BY r.event_id LIMIT 1;

-- name: Move :exec
UPDATE event_lanes SET seen = @seen, moved_at = clock_timestamp() WHERE consumer = @consumer AND lane = @lane AND seen < @seen;

-- name: Postpone :exec
INSERT INTO event_retries (consumer, event_id, lane, subject, attempts, error, due_at, dead_at)
VALUES (@consumer, @event_id, @lane, @subject, @attempts, @error, clock_timestamp() + make_interval(secs => @seconds::float8),
        CASE WHEN @dead::boolean THEN clock_timestamp() END)
ON CONFLICT (consumer, event_id) DO UPDATE
SET attempts = excluded.attempts, error = excluded.error, due_at = excluded.due_at, dead_at = excluded.dead_at;

-- name: Settle :exec
DELETE FROM event_retries WHERE consumer = @consumer AND event_id = @event_id;

-- name: Attempts :one
-- Attempts of a waiting event; no row when it no longer waits.
SELECT attempts FROM event_retries WHERE consumer = @consumer AND event_id = @event_id AND dead_at IS NULL;

-- name: DeadLetters :many
SELECT r.consumer, r.event_id, e.type, r.subject, r.attempts, r.error, r.dead_at::timestamptz AS dead_since
FROM event_retries r JOIN events e ON e.id = r.event_id
WHERE r.dead_at IS NOT NULL AND (r.consumer, r.event_id) > (@after_consumer::text, @after_id::bigint)
ORDER BY r.consumer, r.event_id LIMIT @max_rows;

-- name: RetryDeadLetter :execrows
UPDATE event_retries SET dead_at = NULL, attempts = 0, due_at = clock_timestamp()
WHERE consumer = @consumer AND event_id = @event_id AND dead_at IS NOT NULL;

-- name: Skip :execrows
DELETE FROM event_retries WHERE consumer = @consumer AND event_id = @event_id AND dead_at IS NOT NULL;

-- name: States :many
-- The depth is counted up to a limit; the lag is the age of the oldest event that is not handled, dead letters aside.
SELECT c.name, coalesce(l.seen, 0)::bigint AS seen, coalesce(l.moved_at, c.moved_at)::timestamptz AS moved_at, c.run_at,
       (c.run_at < clock_timestamp() - make_interval(secs => @absent_seconds::float8))::boolean AS absent,
       r.waiting, r.dead_letters, d.dispatches, p.depth,
       greatest(0, extract(epoch FROM clock_timestamp() - least(p.oldest, r.oldest)))::float8 AS lag_seconds
FROM event_consumers c
CROSS JOIN LATERAL (SELECT min(l.seen) AS seen, max(l.moved_at) AS moved_at FROM event_lanes l WHERE l.consumer = c.name) l
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE r.dead_at IS NULL) AS waiting, count(*) FILTER (WHERE r.dead_at IS NOT NULL) AS dead_letters,
           min(e.created_at) FILTER (WHERE r.dead_at IS NULL) AS oldest
    FROM event_retries r JOIN events e ON e.id = r.event_id WHERE r.consumer = c.name
) r
CROSS JOIN LATERAL (SELECT count(*) AS dispatches FROM event_dispatches d WHERE d.consumer = c.name) d
CROSS JOIN LATERAL (
    SELECT count(*) AS depth, min(n.created_at) AS oldest FROM event_lanes a CROSS JOIN LATERAL (
        SELECT e.created_at FROM events e WHERE event_lane(e.subject) = a.lane AND e.id > a.seen AND e.type = ANY (c.types)
        ORDER BY e.id LIMIT @max_depth
    ) n WHERE a.consumer = c.name
) p
ORDER BY c.name;

-- name: AddDispatch :exec
INSERT INTO event_dispatches (workflow_id, consumer, event_id, workflow, input)
VALUES (@workflow_id, @consumer, @event_id, @workflow, @input) ON CONFLICT DO NOTHING;

-- name: ClaimDispatches :many
-- Due starts, which no other process takes before the lease ends.
UPDATE event_dispatches d SET due_at = clock_timestamp() + make_interval(secs => @lease_seconds::float8), attempts = d.attempts + 1
WHERE d.workflow_id IN (SELECT n.workflow_id FROM event_dispatches n WHERE n.due_at <= clock_timestamp()
    ORDER BY n.due_at LIMIT @max_rows FOR UPDATE SKIP LOCKED)
RETURNING d.workflow_id, d.consumer, d.event_id, d.workflow, d.input, d.attempts;

-- name: ConfirmDispatch :exec
DELETE FROM event_dispatches WHERE workflow_id = @workflow_id;

-- name: DelayDispatch :exec
-- Not after another process has taken the start.
UPDATE event_dispatches SET error = @error, due_at = clock_timestamp() + make_interval(secs => @seconds::float8)
WHERE workflow_id = @workflow_id AND attempts = @attempts;

-- name: OfSubjects :many
-- Newest first.
SELECT id, type, subject, context_key, payload, created_at, cause FROM events
WHERE subject = ANY (@subjects::text[]) AND type = ANY (@types::text[]) AND id < @before
ORDER BY id DESC LIMIT @max_rows;

-- name: OfTypes :many
-- Newest first.
SELECT id, type, subject, context_key, payload, created_at, cause FROM events
WHERE type = ANY (@types::text[]) AND id < @before
ORDER BY id DESC LIMIT @max_rows;

-- name: Following :many
-- Oldest first; no subjects are all.
SELECT id, type, subject, context_key, payload, created_at, cause FROM events
WHERE id > @after AND id <= @upto AND type = ANY (@types::text[])
  AND (cardinality(@subjects::text[]) = 0 OR subject = ANY (@subjects::text[]))
ORDER BY id LIMIT @max_rows;

-- name: Prune :execrows
-- Keeps events that a consumer of their type has not come to, retries or has given up.
WITH old AS MATERIALIZED (
    SELECT clock_timestamp() - make_interval(secs => @seconds::float8) AS before
), behind AS MATERIALIZED (
    SELECT l.lane, l.seen, c.types FROM event_lanes l JOIN event_consumers c ON c.name = l.consumer
)
DELETE FROM events e WHERE e.id IN (
    SELECT o.id FROM events o WHERE o.created_at < (SELECT before FROM old)
      AND NOT EXISTS (SELECT FROM behind b WHERE b.lane = event_lane(o.subject) AND b.seen < o.id AND o.type = ANY (b.types))
      AND NOT EXISTS (SELECT FROM event_retries r WHERE r.event_id = o.id)
      AND NOT EXISTS (SELECT FROM event_deferrals d WHERE d.event_id = o.id)
    ORDER BY o.id LIMIT @max_rows);

-- name: RemoveConsumers :many
-- Consumers that this version does not have and that no process has run for so long, with their lanes, retries and dead letters.
DELETE FROM event_consumers c
WHERE c.name <> ALL (@known::text[]) AND c.run_at < clock_timestamp() - make_interval(secs => @seconds::float8)
RETURNING c.name;

-- name: PruneDeadLetters :execrows
DELETE FROM event_retries WHERE dead_at < clock_timestamp() - make_interval(secs => @seconds::float8);
