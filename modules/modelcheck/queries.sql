-- name: InsertCheck :one
INSERT INTO ai_model_checks (id, connection_id, connection_name, model, situations, repeats, parallel, started_by_kind,
    started_by, input_price, output_price)
VALUES (@id, @connection_id, @connection_name, @model, @situations, @repeats, @parallel, sqlc.narg('started_by_kind'),
    sqlc.narg('started_by'),
        sqlc.narg('input_price'), sqlc.narg('output_price'))
ON CONFLICT (connection_id) WHERE status = 'running' DO NOTHING
RETURNING *;

-- name: Check :one
SELECT * FROM ai_model_checks WHERE id = @id;

-- name: Checks :many
-- Newest first, after a cursor; of one connection or of all.
SELECT c.*, coalesce(o.played, 0)::bigint AS played, coalesce(o.passed, 0)::bigint AS passed, coalesce(o.failed, 0)::bigint AS failed,
       coalesce(o.errors, 0)::bigint AS errors, coalesce(o.input_tokens, 0)::bigint AS input_tokens,
       coalesce(o.output_tokens, 0)::bigint AS output_tokens
FROM ai_model_checks c
LEFT JOIN LATERAL (
    SELECT count(*) AS played, count(*) FILTER (WHERE verdict = 'passed') AS passed, count(*) FILTER (WHERE verdict = 'failed') AS failed,
           count(*) FILTER (WHERE verdict = 'error') AS errors, sum(input_tokens)::bigint AS input_tokens,
           sum(output_tokens)::bigint AS output_tokens
    FROM ai_model_check_outcomes WHERE check_id = c.id
) o ON true
WHERE (sqlc.narg('connection_id')::uuid IS NULL OR c.connection_id = sqlc.narg('connection_id')::uuid)
  AND (sqlc.narg('after_id')::uuid IS NULL
       OR (c.created_at, c.id) < (SELECT b.created_at, b.id FROM ai_model_checks b WHERE b.id = sqlc.narg('after_id')::uuid))
ORDER BY c.created_at DESC, c.id DESC LIMIT @max_rows::integer;

-- name: Outcomes :many
SELECT * FROM ai_model_check_outcomes WHERE check_id = @check_id ORDER BY number;

-- name: HasOutcome :one
SELECT EXISTS (SELECT 1 FROM ai_model_check_outcomes WHERE check_id = @check_id AND number = @number);

-- name: KeepAlive :execrows
UPDATE ai_model_checks SET alive_at = clock_timestamp() WHERE id = @id AND status = 'running';

-- name: InsertOutcome :execrows
-- Drops outcomes after the end of the check, and duplicates of a second attempt.
WITH alive AS (
    UPDATE ai_model_checks SET alive_at = clock_timestamp() WHERE id = @check_id AND status = 'running' RETURNING id
)
INSERT INTO ai_model_check_outcomes (check_id, number, situation, kind, verdict, reasons, shown, steps, calls,
    input_tokens, output_tokens, estimated, took_ms)
SELECT alive.id, @number, @situation, @kind, @verdict, @reasons, @shown, @steps, @calls, @input_tokens, @output_tokens,
    @estimated, @took_ms FROM alive
ON CONFLICT DO NOTHING;

-- name: EndCheck :execrows
UPDATE ai_model_checks SET status = @status, ended_at = clock_timestamp() WHERE id = @id AND status = 'running';

-- name: FinishCheck :execrows
-- A check without all outcomes is interrupted.
UPDATE ai_model_checks c
SET ended_at = clock_timestamp(),
    status = CASE WHEN (SELECT count(*) FROM ai_model_check_outcomes o
        WHERE o.check_id = c.id) >= cardinality(c.situations) * c.repeats THEN 'done' ELSE 'interrupted' END
WHERE c.id = @id AND c.status = 'running';

-- name: EndSilentChecks :execrows
-- As FinishCheck: only the final update may have been lost.
UPDATE ai_model_checks c
SET ended_at = clock_timestamp(),
    status = CASE WHEN (SELECT count(*) FROM ai_model_check_outcomes o
        WHERE o.check_id = c.id) >= cardinality(c.situations) * c.repeats THEN 'done' ELSE 'interrupted' END
WHERE c.status = 'running' AND c.alive_at < clock_timestamp() - make_interval(secs => @seconds::float8);

-- name: PruneChecks :execrows
-- Keeps the newest of each connection.
DELETE FROM ai_model_checks WHERE id IN (
    SELECT ranked.id FROM (
        SELECT id, status, row_number() OVER (PARTITION BY connection_id ORDER BY created_at DESC, id DESC) AS place FROM ai_model_checks
    ) ranked WHERE ranked.place > @kept::integer AND ranked.status <> 'running'
);
