-- name: LockPrincipal :exec
-- Serializes calls of one principal until the end of the transaction, so that concurrent ones cannot exceed the limit.
SELECT pg_advisory_xact_lock(hashtextextended(@principal::text, 2));

-- name: ReserveCall :one
-- Writes the audit row of a call before it runs, if the budget has room: if the call max_calls earlier has left the
-- window. A call that is retried after a crash, at its place in a turn or under its id, finds its row and does not
-- count again; a refused one stays refused.
WITH known AS (
    SELECT c.id FROM ai_tool_calls c
    WHERE c.turn_id = sqlc.narg('turn_id')::uuid AND c.step = sqlc.narg('step')::smallint AND c.call = sqlc.narg('call')::smallint
      AND c.status <> 'refused'
       OR c.id = @id AND c.status = 'running'
), newest AS (
    SELECT coalesce(max(c.number), 0) + 1 AS number FROM ai_tool_calls c WHERE c.principal_id = @principal_id AND c.number IS NOT NULL
), reserved AS (
    INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status,
        number, turn_id, step, call)
    SELECT @id, @principal_kind, @principal_id, @transport, @tool_name, @effect, @args_hash, 'running', n.number,
           sqlc.narg('turn_id')::uuid, sqlc.narg('step')::smallint, sqlc.narg('call')::smallint
    FROM newest n
    LEFT JOIN ai_tool_calls gate ON gate.principal_id = @principal_id AND gate.number = n.number - sqlc.arg('max_calls')::bigint
    WHERE NOT EXISTS (SELECT 1 FROM known)
      AND (gate.id IS NULL OR gate.created_at <= clock_timestamp() - make_interval(secs => @window_seconds::float8))
    ON CONFLICT (turn_id, step, call) WHERE turn_id IS NOT NULL DO NOTHING
    RETURNING id
)
SELECT id FROM known UNION ALL SELECT id FROM reserved;

-- name: NextFree :one
-- Seconds until the blocking call leaves the window.
SELECT coalesce((SELECT extract(epoch FROM c.created_at + make_interval(secs => @window_seconds::float8) - clock_timestamp())
                 FROM ai_tool_calls c
                 WHERE c.principal_id = @principal_id
                   AND c.number = (SELECT max(l.number) FROM ai_tool_calls l
                       WHERE l.principal_id = @principal_id AND l.number IS NOT NULL) + 1 - sqlc.arg('max_calls')::bigint),
                1)::float8 AS seconds;

-- name: RecordRefusal :exec
INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status,
    error_code, turn_id, step, call, finished_at)
VALUES (@id, @principal_kind, @principal_id, @transport, @tool_name, @effect, @args_hash, 'refused', @error_code,
        @turn_id, @step, @call, clock_timestamp())
ON CONFLICT DO NOTHING;

-- name: CountRefusal :exec
-- For calls outside of turns over the budget, the first one of a caller and a tool gets a row, and further ones within
-- the window are counted. A caller has a limited number of counters; beyond it, calls count as those of several tools.
WITH place AS (
    SELECT CASE WHEN EXISTS (SELECT FROM ai_audit_refusals k
                             WHERE k.principal_id = @principal_id AND k.principal_kind = @principal_kind AND k.session_id = @session_id
                               AND k.transport = @transport AND k.tool_name = @tool_name AND k.effect = @effect)
                  OR (SELECT count(*) FROM ai_audit_refusals o WHERE o.principal_id = @principal_id) < sqlc.arg('most')::bigint
                THEN sqlc.arg('tool_name')::text ELSE '' END AS tool_name
), counted AS (
    INSERT INTO ai_audit_refusals AS r (principal_kind, principal_id, session_id, transport, tool_name, effect, call_id)
    SELECT @principal_kind, @principal_id, @session_id, @transport, p.tool_name, @effect, @id FROM place p
    ON CONFLICT (principal_id, principal_kind, session_id, transport, tool_name, effect) DO UPDATE
    SET more = r.more + 1, first_at = coalesce(r.first_at, clock_timestamp()), last_at = clock_timestamp()
    RETURNING r.call_id
)
INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, error_code, finished_at)
SELECT @id, @principal_kind, @principal_id, @transport, @tool_name, @effect, @args_hash, 'refused', @error_code, clock_timestamp()
FROM counted c WHERE c.call_id = @id;

-- name: TakeRefusals :many
DELETE FROM ai_audit_refusals r WHERE r.since < clock_timestamp() - make_interval(secs => @window_seconds::float8)
RETURNING r.principal_kind, r.principal_id, r.session_id, r.transport, r.tool_name, r.effect, r.call_id, r.more,
          coalesce(r.first_at, r.since)::timestamptz AS first_at, coalesce(r.last_at, r.since)::timestamptz AS last_at;

-- name: RefuseReserved :exec
UPDATE ai_tool_calls SET status = 'refused', error_code = @error_code, finished_at = clock_timestamp()
WHERE id = @id AND status = 'running';

-- name: FinishCall :exec
UPDATE ai_tool_calls SET status = @status, error_code = nullif(@error_code::text, ''), finished_at = clock_timestamp()
WHERE id = @id AND status = 'running';

-- name: EndCall :exec
-- Ends a call without an outcome. Afterwards nothing can be proposed under its id.
UPDATE ai_tool_calls SET status = 'failed', error_code = @error_code, finished_at = clock_timestamp() WHERE id = @id AND status = 'running';

-- name: EndCallsOfEndedTurns :exec
-- Ends calls whose turn has ended or is gone: their rows were written after its end.
UPDATE ai_tool_calls c SET status = 'failed', error_code = @error_code, finished_at = clock_timestamp()
WHERE c.status = 'running' AND c.turn_id IS NOT NULL
  AND c.created_at < clock_timestamp() - make_interval(secs => @older_than_seconds::float8)
  AND NOT EXISTS (SELECT FROM ai_turns t WHERE t.id = c.turn_id AND t.status IN ('pending', 'running'));

-- name: ReleaseCall :exec
-- Records the outcome of a failed call and releases its id, so that the request can be retried with its key.
UPDATE ai_tool_calls SET id = @new_id, status = 'failed', error_code = nullif(@error_code::text, ''), finished_at = clock_timestamp()
WHERE id = @id AND status = 'running';

-- name: CallByID :one
SELECT tool_name, args_hash FROM ai_tool_calls WHERE id = $1;

-- name: ReleaseAbandoned :one
-- Ends calls outside of turns whose process has died: none takes this long. Their ids are released. Rows before the
-- last run are not read again, except its last ten minutes: a row may be committed later than its time.
WITH bounds AS MATERIALIZED (
    SELECT s.through - interval '10 minutes' AS since, clock_timestamp() - make_interval(secs => @older_than_seconds::float8) AS until
    FROM sweeps s WHERE s.name = 'abandoned tool calls'
), released AS (
    UPDATE ai_tool_calls c SET id = gen_random_uuid(), status = 'failed', error_code = @error_code, finished_at = clock_timestamp()
    WHERE c.status = 'running' AND c.turn_id IS NULL AND c.created_at >= (SELECT b.since FROM bounds b)
      AND c.created_at < (SELECT b.until FROM bounds b)
    RETURNING c.id
), swept AS (
    UPDATE sweeps s SET through = b.until FROM bounds b WHERE s.name = 'abandoned tool calls'
)
SELECT count(*) FROM released;
