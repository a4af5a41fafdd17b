-- name: InsertTest :one
-- No row comes back for a principal with too many open tests of the kind; unanswered ones count for a limited time. A
-- test that may start is admitted as AdmitTest says, or it is the last one to ask.
WITH ahead AS (
    SELECT count(*) FROM script_tests a WHERE a.principal = @principal::text AND a.status <> 'done' AND CASE
        WHEN a.admitted_at IS NULL THEN a.asked_at > clock_timestamp() - interval '1 second'
        WHEN a.status = 'waiting' AND a.attempts = 0 THEN a.admitted_at > clock_timestamp() - interval '15 seconds'
        ELSE a.admitted_at > clock_timestamp() - interval '3 minutes' END
)
INSERT INTO script_tests (id, kind, principal, request, asked_at, admitted_at)
SELECT @id::uuid, @kind::text, @principal::text, @request::bytea, CASE WHEN @begins::boolean THEN clock_timestamp() END,
    CASE WHEN @begins::boolean AND ahead.count < @at_once::int THEN clock_timestamp() END
FROM ahead
WHERE (SELECT count(*) FROM script_tests o
       WHERE o.kind = @kind::text AND o.principal = @principal::text AND o.status <> 'done'
         AND o.created_at > now() - interval '1 minute') < @most::int
RETURNING (admitted_at IS NOT NULL)::boolean AS admitted;

-- name: AdmitTest :one
-- A test is admitted unless its principal has too many admitted ones, of all kinds and over all processes. Those that
-- asked before it come first, as long as they keep asking. A test that nobody began within 15 s of its admission lost
-- its caller, who withdraws it after 11 s, so it counts no longer.
WITH ahead AS (
    SELECT count(*) FROM script_tests a WHERE a.principal = @principal::text AND a.status <> 'done' AND CASE
        WHEN a.admitted_at IS NULL THEN a.asked_at > clock_timestamp() - interval '1 second'
            AND (a.created_at, a.id) < (SELECT created_at, id FROM script_tests WHERE id = @id::uuid)
        WHEN a.status = 'waiting' AND a.attempts = 0 THEN a.admitted_at > clock_timestamp() - interval '15 seconds'
        ELSE a.admitted_at > clock_timestamp() - interval '3 minutes' END
)
UPDATE script_tests t SET asked_at = clock_timestamp(), admitted_at = CASE WHEN ahead.count < @at_once::int THEN clock_timestamp() END
FROM ahead WHERE t.id = @id::uuid
RETURNING (t.admitted_at IS NOT NULL)::boolean AS admitted;

-- name: BeginTest :one
-- Only one attempt gets the request of a test, two may get that of a tool call. The notification tells the caller that
-- it has left the queue.
WITH begun AS (
    UPDATE script_tests SET status = 'running', attempts = attempts + 1
    WHERE id = @id AND (status = 'waiting' OR status = 'running' AND kind <> 'test' AND attempts < 2) RETURNING id, attempts, request
)
SELECT attempts, request, pg_notify('script_tests', 'begun ' || id::text)::text AS notified FROM begun;

-- name: YieldTest :execrows
-- A job that failed here waits for another process, unless its caller has gone.
UPDATE script_tests SET status = 'waiting' WHERE id = @id AND status = 'running';

-- name: SettleTest :one
-- The first answer stays. The result is the number of settled tests: none or one.
WITH settled AS (
    UPDATE script_tests SET status = 'done', answer = @answer, request = '' WHERE id = @id AND status <> 'done' RETURNING id
)
SELECT count(pg_notify('script_tests', id::text)) FROM settled;

-- name: TakeAnswer :one
DELETE FROM script_tests WHERE id = @id AND status = 'done' RETURNING answer;

-- name: WithdrawTest :execrows
-- A test that has started is not withdrawn.
DELETE FROM script_tests WHERE id = @id AND status = 'waiting';

-- name: DropTest :exec
DELETE FROM script_tests WHERE id = @id;

-- name: PruneTests :exec
DELETE FROM script_tests WHERE created_at < now() - make_interval(secs => @seconds::float8);
