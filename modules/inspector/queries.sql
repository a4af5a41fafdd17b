-- name: Turn :one
SELECT t.*, c.owner_id, coalesce(n.name, '')::text AS connection_name, coalesce(f.verdict, '')::text AS verdict,
       coalesce(f.comment, '')::text AS comment,
       f.updated_at AS said_at, clock_timestamp()::timestamptz AS now
FROM ai_turns t
JOIN ai_conversations c ON c.id = t.conversation_id
LEFT JOIN ai_feedback f ON f.turn_id = t.id
LEFT JOIN ai_connections n ON n.id = t.connection_id
WHERE t.id = @id;

-- name: Turns :many
-- Lists turns after one of them, newest first. @statuses have indexes; other filters scan at most @depth turns.
SELECT t.id, t.kind, t.status, t.principal_kind, t.principal_id, t.connection_id, coalesce(n.name, '')::text AS connection_name, t.model,
       coalesce(t.error_code, '')::text AS error_code, t.created_at, t.finished_at, t.input_tokens, t.output_tokens,
       coalesce(f.verdict, '')::text AS verdict, (f.comment IS NOT NULL)::boolean AS commented, clock_timestamp()::timestamptz AS now
FROM (
    SELECT * FROM ai_turns o
    WHERE (cardinality(@statuses::text[]) = 0 OR o.status = ANY (@statuses::text[]))
      AND (sqlc.narg('principal_id')::uuid IS NULL OR o.principal_id = sqlc.narg('principal_id')::uuid)
      AND (sqlc.narg('after_id')::uuid IS NULL OR (o.created_at, o.id) < (@after_at::timestamptz, sqlc.narg('after_id')::uuid))
    ORDER BY o.created_at DESC, o.id DESC LIMIT @depth::integer
) t
LEFT JOIN ai_feedback f ON f.turn_id = t.id
LEFT JOIN ai_connections n ON n.id = t.connection_id
WHERE (NOT @done::boolean OR t.status = 'done')
  AND (sqlc.narg('connection_id')::uuid IS NULL OR t.connection_id = sqlc.narg('connection_id')::uuid)
  AND (@model::text = '' OR t.model = @model::text)
  AND (@slow_seconds::integer = 0 OR coalesce(t.finished_at, now()) - t.created_at >= make_interval(secs => @slow_seconds::integer))
  AND (@feedback::text = '' OR f.verdict = @feedback::text OR @feedback::text = 'comment' AND f.comment IS NOT NULL)
ORDER BY t.created_at DESC, t.id DESC LIMIT @max_rows::integer;

-- name: LastLookedAt :one
-- Returns the last scanned turn of a page, if there may be more.
SELECT o.created_at, o.id FROM ai_turns o
WHERE (cardinality(@statuses::text[]) = 0 OR o.status = ANY (@statuses::text[]))
  AND (sqlc.narg('principal_id')::uuid IS NULL OR o.principal_id = sqlc.narg('principal_id')::uuid)
  AND (sqlc.narg('after_id')::uuid IS NULL OR (o.created_at, o.id) < (@after_at::timestamptz, sqlc.narg('after_id')::uuid))
ORDER BY o.created_at DESC, o.id DESC LIMIT 1 OFFSET @skipped::integer;

-- name: ModelCalls :many
-- The possible ids of a turn's calls are known, so no further index is needed.
SELECT s.id, coalesce(s.step, 0)::smallint AS step, coalesce(s.attempt, 0)::smallint AS attempt, s.purpose, s.status, s.tokens,
       s.input_tokens, s.output_tokens, s.cached_tokens, coalesce(s.model, '')::text AS model, s.took_ms, s.first_ms,
       coalesce(s.failure, '')::text AS failure, s.cost_micros, s.created_at, s.settled_at
FROM ai_spend s WHERE s.id = ANY (@ids::uuid[]) AND s.turn_id = @turn_id::uuid;

-- name: ToolCalls :many
SELECT coalesce(c.step, 0)::smallint AS step, coalesce(c.call, 0)::smallint AS call, c.tool_name, c.effect, c.status,
       coalesce(c.error_code, '')::text AS error_code,
       c.created_at, c.finished_at, p.created_at AS proposed_at, coalesce(p.automatic, false)::boolean AS automatic
FROM ai_tool_calls c LEFT JOIN ai_proposals p ON p.id = c.id
WHERE c.turn_id = @turn_id::uuid;

-- name: Attempts :many
-- Counts the attempts caused by failures of the host.
SELECT s.step, s.call, (s.result ->> 'attempts')::integer AS attempts FROM turn_steps s
WHERE s.turn_id = @turn_id AND s.call > 0 AND s.result ? 'attempts';

-- name: PlannedCalls :many
-- Returns the tool calls of the model while the step records exist.
SELECT s.step, (s.result -> 'calls')::jsonb AS calls FROM turn_steps s
WHERE s.turn_id = @turn_id AND s.call = 0 AND jsonb_typeof(s.result -> 'calls') = 'array' ORDER BY s.step;

-- name: Answer :one
SELECT m.parts FROM ai_messages m WHERE m.turn_id = @turn_id AND m.role = 'assistant';
