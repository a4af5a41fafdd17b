-- name: AddEvents :exec
INSERT INTO events (type, subject, context_key, payload)
SELECT unnest(@types::text[]), unnest(@subjects::text[]), unnest(@context_keys::text[]), unnest(@payloads::jsonb[]);

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

-- name: AddConsumer :exec
INSERT INTO event_consumers (name, seen) VALUES (@name, 0) ON CONFLICT DO NOTHING;

-- name: LockConsumer :one
-- No row while another process works for the consumer. A process that freezes loses its transaction, and so its lock.
SELECT seen, EXISTS (SELECT FROM event_deferrals d WHERE d.consumer = name AND d.parked_at IS NULL) AS waiting,
       set_config('idle_in_transaction_session_timeout', @idle_ms::text, true)::text AS idle
FROM event_consumers WHERE name = @name FOR UPDATE SKIP LOCKED;

-- name: NextEvent :one
SELECT id, type, subject, context_key, payload, created_at FROM events
WHERE id > @after AND id <= @upto AND type = ANY (@types::text[])
ORDER BY id LIMIT 1;

-- name: SubjectWaits :one
SELECT EXISTS (SELECT FROM event_deferrals WHERE consumer = @consumer AND subject = @subject AND parked_at IS NULL) AS waits;

-- name: DueEvent :one
-- The oldest event to retry. Only the first one of a subject is retried.
SELECT e.id, e.type, e.subject, e.context_key, e.payload, e.created_at, d.attempts
FROM event_deferrals d JOIN events e ON e.id = d.event_id
WHERE d.consumer = @consumer AND d.parked_at IS NULL AND d.due_at <= clock_timestamp()
  AND NOT EXISTS (SELECT FROM event_deferrals o
      WHERE o.consumer = d.consumer AND o.subject = d.subject AND o.parked_at IS NULL AND o.event_id < d.event_id)
ORDER BY d.event_id LIMIT 1;

-- name: Move :exec
UPDATE event_consumers SET seen = @seen, moved_at = clock_timestamp() WHERE name = @name AND seen < @seen;

-- name: Postpone :exec
INSERT INTO event_deferrals (consumer, event_id, subject, attempts, error, due_at)
VALUES (@consumer, @event_id, @subject, @attempts, @error, clock_timestamp() + make_interval(secs => @seconds::float8))
ON CONFLICT (consumer, event_id) DO UPDATE SET attempts = excluded.attempts, error = excluded.error, due_at = excluded.due_at;

-- name: AddDeadLetter :exec
INSERT INTO event_deferrals (consumer, event_id, subject, attempts, error, due_at, parked_at)
VALUES (@consumer, @event_id, @subject, @attempts, @error, clock_timestamp(), clock_timestamp())
ON CONFLICT (consumer, event_id) DO UPDATE SET attempts = excluded.attempts, error = excluded.error, parked_at = excluded.parked_at;

-- name: Settle :exec
DELETE FROM event_deferrals WHERE consumer = @consumer AND event_id = @event_id;

-- name: Attempts :one
-- Attempts of a waiting event; no row when it no longer waits.
SELECT attempts FROM event_deferrals WHERE consumer = @consumer AND event_id = @event_id AND parked_at IS NULL;

-- name: DeadLetters :many
SELECT d.consumer, d.event_id, e.type, d.subject, d.attempts, d.error, d.parked_at::timestamptz AS dead_since
FROM event_deferrals d JOIN events e ON e.id = d.event_id
WHERE d.parked_at IS NOT NULL AND (d.consumer, d.event_id) > (@after_consumer::text, @after_id::bigint)
ORDER BY d.consumer, d.event_id LIMIT @max_rows;

-- name: RetryDeadLetter :execrows
UPDATE event_deferrals SET parked_at = NULL, attempts = 0, due_at = clock_timestamp()
WHERE consumer = @consumer AND event_id = @event_id AND parked_at IS NOT NULL;

-- name: Skip :execrows
DELETE FROM event_deferrals WHERE consumer = @consumer AND event_id = @event_id AND parked_at IS NOT NULL;

-- name: States :many
SELECT c.name, c.seen, c.moved_at,
       count(d.event_id) FILTER (WHERE d.parked_at IS NULL) AS waiting,
       count(d.event_id) FILTER (WHERE d.parked_at IS NOT NULL) AS dead_letters
FROM event_consumers c LEFT JOIN event_deferrals d ON d.consumer = c.name
GROUP BY c.name ORDER BY c.name;

-- name: OfSubjects :many
-- Newest first.
SELECT id, type, subject, context_key, payload, created_at FROM events
WHERE subject = ANY (@subjects::text[]) AND type = ANY (@types::text[]) AND id < @before
ORDER BY id DESC LIMIT @max_rows;

-- name: OfTypes :many
-- Newest first.
SELECT id, type, subject, context_key, payload, created_at FROM events
WHERE type = ANY (@types::text[]) AND id < @before
ORDER BY id DESC LIMIT @max_rows;

-- name: Following :many
-- Oldest first; no subjects are all.
SELECT id, type, subject, context_key, payload, created_at FROM events
WHERE id > @after AND id <= @upto AND type = ANY (@types::text[])
  AND (cardinality(@subjects::text[]) = 0 OR subject = ANY (@subjects::text[]))
ORDER BY id LIMIT @max_rows;

-- name: Prune :execrows
-- Keeps events that a consumer still has to handle.
DELETE FROM events e WHERE e.id IN (
    SELECT o.id FROM events o WHERE o.created_at < clock_timestamp() - make_interval(secs => @seconds::float8)
      AND NOT EXISTS (SELECT FROM event_deferrals d WHERE d.event_id = o.id)
    ORDER BY o.id LIMIT @max_rows);

-- name: PruneDeadLetters :execrows
DELETE FROM event_deferrals WHERE parked_at < clock_timestamp() - make_interval(secs => @seconds::float8);
