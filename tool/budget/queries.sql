-- name: LockPrincipal :exec
-- Calls of one principal take turns from here to the end of the transaction, so that none can pass the count together.
SELECT pg_advisory_xact_lock(hashtextextended(@principal::text, 2));

-- name: ReserveCall :one
-- Writes the audit row of a call before it runs, if the budget has room for it. A call of a turn that is repeated after
-- a crash finds its row and is not counted again.
WITH known AS (
    SELECT c.id FROM ai_tool_calls c
    WHERE c.turn_id = sqlc.narg('turn_id')::uuid AND c.step = sqlc.narg('step')::smallint AND c.call = sqlc.narg('call')::smallint
), reserved AS (
    INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, counted, turn_id, step, call)
    SELECT @id, @principal_kind, @principal_id, @transport, @tool_name, @effect, @args_hash, 'running', true,
           sqlc.narg('turn_id')::uuid, sqlc.narg('step')::smallint, sqlc.narg('call')::smallint
    WHERE NOT EXISTS (SELECT 1 FROM known)
      AND (SELECT count(*) FROM ai_tool_calls c
           WHERE c.principal_kind = @principal_kind AND c.principal_id = @principal_id AND c.counted
             AND c.created_at > clock_timestamp() - make_interval(secs => @window_seconds::float8)) < @max_calls::bigint
    RETURNING id
)
SELECT id FROM known UNION ALL SELECT id FROM reserved;

-- name: NextFree :one
-- How many seconds pass until the oldest counted call leaves the window.
SELECT coalesce(extract(epoch FROM min(created_at) + make_interval(secs => @window_seconds::float8) - clock_timestamp()), 1)::float8 AS seconds
FROM (SELECT created_at FROM ai_tool_calls
      WHERE principal_kind = @principal_kind AND principal_id = @principal_id AND counted
      ORDER BY created_at DESC LIMIT @max_calls::bigint) newest;

-- name: RecordRefusal :exec
INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, error_code, counted, turn_id, step, call, finished_at)
VALUES (@id, @principal_kind, @principal_id, @transport, @tool_name, @effect, @args_hash, 'refused', @error_code, @counted,
        @turn_id, @step, @call, clock_timestamp())
ON CONFLICT DO NOTHING;

-- name: FinishCall :exec
UPDATE ai_tool_calls SET status = @status, error_code = nullif(@error_code::text, ''), finished_at = clock_timestamp()
WHERE id = @id AND status = 'running';
