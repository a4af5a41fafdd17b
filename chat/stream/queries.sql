-- name: AppendEvents :exec
INSERT INTO turn_events (turn_id, seq, step, chunk)
SELECT unnest(@turn_ids::uuid[]), unnest(@seqs::bigint[]), unnest(@steps::smallint[]), unnest(@chunks::text[])
ON CONFLICT DO NOTHING;

-- name: RecordSteps :many
-- Stores the records of steps whose process still holds the turn, and with each record its final events, the outcome of
-- its audit row and its token usage. The row lock makes a concurrent takeover wait, which then sees the record. An
-- audit row that a proposal has advanced stays unchanged.
WITH recorded AS (
    INSERT INTO turn_steps (turn_id, step, call, result)
    SELECT r.turn_id, r.step, r.call, r.result
    FROM (SELECT unnest(@turn_ids::uuid[]) AS turn_id, unnest(@claims::integer[]) AS claim, unnest(@steps::smallint[]) AS step,
                 unnest(@calls::smallint[]) AS call, unnest(@results::jsonb[]) AS result) r
    JOIN ai_turns t ON t.id = r.turn_id AND t.claim = r.claim AND t.status IN ('pending', 'running')
    FOR SHARE OF t
    ON CONFLICT DO NOTHING
    RETURNING turn_id, step, call
), events AS (
    INSERT INTO turn_events (turn_id, seq, step, chunk)
    SELECT e.turn_id, e.seq, e.step, e.chunk
    FROM (SELECT unnest(@event_turn_ids::uuid[]) AS turn_id, unnest(@event_seqs::bigint[]) AS seq, unnest(@event_steps::smallint[]) AS step,
                 unnest(@event_calls::smallint[]) AS call, unnest(@event_chunks::text[]) AS chunk) e
    JOIN recorded USING (turn_id, step, call)
    ON CONFLICT DO NOTHING
), outcomes AS (
    UPDATE ai_tool_calls c
    SET status = o.status, error_code = nullif(o.error_code, ''), finished_at = clock_timestamp()
    FROM (SELECT unnest(@outcome_turn_ids::uuid[]) AS turn_id, unnest(@outcome_steps::smallint[]) AS step,
        unnest(@outcome_calls::smallint[]) AS call,
                 unnest(@outcome_ids::uuid[]) AS id, unnest(@outcome_statuses::text[]) AS status,
                 unnest(@outcome_error_codes::text[]) AS error_code) o
    JOIN recorded USING (turn_id, step, call)
    WHERE c.id = o.id AND c.status = 'running'
), spent AS (
    -- The same as SettleCall in tool/spend/queries.sql. Two records of one step may wait in one flush: one of them counts.
    INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, unattended, turn_id, step, attempt, purpose, reserved,
                          input_tokens, output_tokens, cached_tokens, model, took_ms, first_ms, failure, cost_micros, status, settled_at)
    SELECT DISTINCT ON (s.id) s.id, s.connection_id, s.principal_kind, s.principal_id, s.unattended, s.turn_id, s.step,
           s.attempt, s.purpose, s.reserved,
           CASE WHEN s.reported THEN s.input_tokens END, CASE WHEN s.reported THEN s.output_tokens END,
           CASE WHEN s.reported THEN s.cached_tokens END, nullif(s.model, ''), s.took_ms, nullif(s.first_ms, -1), nullif(s.failure, ''),
           nullif(s.cost_micros, -1), 'settled', clock_timestamp()
    FROM (SELECT unnest(@spend_turn_ids::uuid[]) AS turn_id, unnest(@spend_steps::smallint[]) AS step,
        unnest(@spend_calls::smallint[]) AS call,
                 unnest(@spend_ids::uuid[]) AS id, unnest(@spend_connection_ids::uuid[]) AS connection_id,
                 unnest(@spend_principal_kinds::text[]) AS principal_kind, unnest(@spend_principal_ids::uuid[]) AS principal_id,
                 unnest(@spend_unattended::boolean[]) AS unattended, unnest(@spend_attempts::smallint[]) AS attempt,
                 unnest(@spend_purposes::text[]) AS purpose, unnest(@spend_estimates::bigint[]) AS reserved,
                 unnest(@spend_reported::boolean[]) AS reported, unnest(@spend_input_tokens::bigint[]) AS input_tokens,
                 unnest(@spend_output_tokens::bigint[]) AS output_tokens, unnest(@spend_cached_tokens::bigint[]) AS cached_tokens,
                 unnest(@spend_models::text[]) AS model, unnest(@spend_took_ms::integer[]) AS took_ms,
                 unnest(@spend_first_ms::integer[]) AS first_ms,
                 unnest(@spend_failures::text[]) AS failure, unnest(@spend_cost_micros::bigint[]) AS cost_micros) s
    JOIN recorded USING (turn_id, step, call)
    ORDER BY s.id
    ON CONFLICT (id) DO UPDATE
    SET status = 'settled', input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
        cached_tokens = excluded.cached_tokens,
        model = excluded.model, took_ms = excluded.took_ms, first_ms = excluded.first_ms, failure = excluded.failure,
        cost_micros = excluded.cost_micros,
        settled_at = excluded.settled_at,
        created_at = CASE ai_spend.status WHEN 'released' THEN excluded.created_at ELSE ai_spend.created_at END
    WHERE ai_spend.status <> 'settled'
)
SELECT turn_id, step, call FROM recorded;

-- name: OwnRecords :many
-- Which of these records exist already, written by an attempt of this process whose answer was lost: each with the
-- first of its final events, whose seq is unique to the process.
SELECT s.turn_id, s.step, s.call
FROM (SELECT unnest(@turn_ids::uuid[]) AS turn_id, unnest(@steps::smallint[]) AS step, unnest(@calls::smallint[]) AS call,
             unnest(@seqs::bigint[]) AS seq) r
JOIN turn_steps s ON s.turn_id = r.turn_id AND s.step = r.step AND s.call = r.call
JOIN turn_events e ON e.turn_id = r.turn_id AND e.seq = r.seq;

-- name: AnnounceTurns :execrows
-- Notifies each process with readers of these turns which of them have more events. Turns without a registered reader
-- may have readers in a process of the previous version, which gets all notifications. Returns no rows without
-- recipients.
SELECT pg_notify('turn_events_' || replace(f.process::text, '-', ''),
    sqlc.arg(process)::uuid::text || ' ' || string_agg(f.turn_id::text, ','))::text
FROM turn_followers f WHERE f.turn_id = ANY (@turn_ids::uuid[]) AND f.process <> @process::uuid
GROUP BY f.process
UNION ALL
SELECT pg_notify('turn_events', sqlc.arg(process)::uuid::text || ' ' || string_agg(u.turn_id::text, ','))::text
FROM (SELECT unnest(@unread::uuid[]) AS turn_id) u WHERE NOT EXISTS (SELECT FROM turn_followers f WHERE f.turn_id = u.turn_id)
HAVING count(*) > 0;

-- name: FollowTurns :exec
INSERT INTO turn_followers (turn_id, process) SELECT unnest(@turn_ids::uuid[]), @process::uuid ON CONFLICT DO NOTHING;

-- name: EventExists :one
SELECT EXISTS (SELECT FROM turn_events WHERE turn_id = $1 AND seq = $2);

-- name: RunningTurns :many
SELECT id FROM ai_turns WHERE id = ANY (@turn_ids::uuid[]) AND status NOT IN ('done', 'failed', 'stopped');

-- name: EventsOfTurns :many
-- The events of each turn after a seq, by the position of the turn in the list, from 1. A lateral query reads turn by
-- turn: the planner would estimate a join with the list at a thousand turns, and read ten thousand events for those of
-- one.
SELECT w.place::integer AS place, e.seq, e.step, e.chunk
FROM (SELECT generate_subscripts(@turn_ids::uuid[], 1) AS place, unnest(@turn_ids::uuid[]) AS turn_id, unnest(@afters::bigint[]) AS after) w
CROSS JOIN LATERAL (SELECT of.seq, of.step, of.chunk FROM turn_events of WHERE of.turn_id = w.turn_id AND of.seq > w.after OFFSET 0) e
ORDER BY w.place, e.seq;

-- name: PruneEnded :one
-- Deletes the data that only a running turn needs, some time after the turn. Turns that ended before the last run are
-- not examined again, except those of its last hour: a process that was suspended may write late.
WITH bounds AS MATERIALIZED (
    SELECT s.through - interval '1 hour' AS since, now() - @older_than::interval AS until FROM sweeps s WHERE s.name = 'finished turns'
), ended AS MATERIALIZED (
    SELECT t.id FROM ai_turns t WHERE t.finished_at >= (SELECT b.since FROM bounds b) AND t.finished_at < (SELECT b.until FROM bounds b)
), events AS (
    DELETE FROM turn_events e USING ended t WHERE e.turn_id = t.id RETURNING e.turn_id
), steps AS (
    DELETE FROM turn_steps s USING ended t WHERE s.turn_id = t.id
), followers AS (
    DELETE FROM turn_followers f USING ended t WHERE f.turn_id = t.id
), swept AS (
    UPDATE sweeps s SET through = b.until FROM bounds b WHERE s.name = 'finished turns'
)
SELECT count(*) FROM events;
