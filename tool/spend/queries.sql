-- name: LockSpender :exec
-- Serializes calls of one principal on one connection until the end of the transaction, so that concurrent ones cannot
-- exceed the cap.
SELECT pg_advisory_xact_lock(hashtextextended(@spender::text, 3));

-- name: ReserveCall :one
-- Writes the row of a call at its estimate, if the window has room for it. A retried call finds its row and does not
-- count again; one whose row has left the window, or was released, counts from now on. A call over the cap returns the
-- time when it would fit: once the blocking rows have left the window.
WITH clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, clock_timestamp() - make_interval(secs => @window_seconds::float8) AS since
), known AS (
    SELECT s.id FROM ai_spend s
    WHERE s.id = @id AND (s.status = 'settled' OR s.status = 'reserved' AND s.created_at > (SELECT since FROM clock))
), sealed AS MATERIALIZED (
    -- Hours with stored sums that are entirely in the window. Without a mark there are none.
    SELECT CASE WHEN m.through IS NULL THEN 'infinity'
        ELSE least(greatest(date_bin('1 hour', clock.since, 'epoch') + interval '1 hour', m.begun), m.through) END AS first,
           coalesce(m.through, 'infinity') AS through
    FROM clock LEFT JOIN (SELECT b.through AS begun, e.through FROM sweeps b, sweeps e
        WHERE b.name = 'spend hours begin' AND e.name = 'spend hours') m ON true
), used AS MATERIALIZED (
    SELECT (coalesce((SELECT sum(s.tokens) FROM ai_spend s
                      WHERE s.connection_id = @connection_id AND s.principal_id = @principal_id
                        AND s.created_at > (SELECT since FROM clock) AND s.created_at < (SELECT first FROM sealed)
                        AND (sqlc.narg('counts_unattended')::boolean IS NULL OR s.unattended = sqlc.narg('counts_unattended')::boolean)), 0)
          + coalesce((SELECT sum(h.tokens) FROM ai_spend_hours h
                      WHERE h.connection_id = @connection_id AND h.principal_id = @principal_id
                        AND h.hour >= (SELECT first FROM sealed) AND h.hour < (SELECT through FROM sealed)
                        AND (sqlc.narg('counts_unattended')::boolean IS NULL OR h.unattended = sqlc.narg('counts_unattended')::boolean)), 0)
          + coalesce((SELECT sum(s.tokens) FROM ai_spend s
                      WHERE s.connection_id = @connection_id AND s.principal_id = @principal_id
                        AND s.created_at > (SELECT since FROM clock) AND s.created_at >= (SELECT through FROM sealed)
                        AND (sqlc.narg('counts_unattended')::boolean IS NULL
                            OR s.unattended = sqlc.narg('counts_unattended')::boolean)), 0))::bigint AS tokens
), reserved AS (
    INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, unattended, turn_id, step, attempt, purpose,
        reserved, status, created_at, run_id)
    SELECT @id, @connection_id, @principal_kind, @principal_id, @unattended, sqlc.narg('turn_id')::uuid, sqlc.narg('step')::smallint,
           sqlc.narg('attempt')::smallint, @purpose, @estimate::bigint, 'reserved', clock.now, sqlc.narg('run_id')::uuid
    FROM used, clock
    WHERE used.tokens + @estimate::bigint <= @cap::bigint AND NOT EXISTS (SELECT 1 FROM known)
    ON CONFLICT (id) DO UPDATE SET reserved = excluded.reserved, status = 'reserved', settled_at = NULL, created_at = excluded.created_at
    WHERE ai_spend.status <> 'settled'
    RETURNING id
)
SELECT (EXISTS (SELECT 1 FROM known) OR EXISTS (SELECT 1 FROM reserved))::boolean AS admitted,
       used.tokens AS used,
       CASE WHEN EXISTS (SELECT 1 FROM known) OR EXISTS (SELECT 1 FROM reserved) THEN 0 ELSE coalesce((
           SELECT extract(epoch FROM min(w.created_at) - clock.since)
           FROM (SELECT s.created_at, sum(s.tokens) OVER (ORDER BY s.created_at DESC, s.id DESC) - s.tokens AS newer
                 FROM ai_spend s
                 WHERE s.connection_id = @connection_id AND s.principal_id = @principal_id AND s.created_at > (SELECT since FROM clock)
                   AND (sqlc.narg('counts_unattended')::boolean IS NULL OR s.unattended = sqlc.narg('counts_unattended')::boolean)) w
           WHERE w.newer + @estimate::bigint <= @cap::bigint), 0) END::float8 AS free_in_seconds
FROM used, clock;

-- name: LockRun :one
-- Serializes the model calls of a run until the end of the transaction, and returns its cap.
SELECT r.token_cap FROM runs r WHERE r.id = @id FOR UPDATE;

-- name: SpentInRun :one
-- Usage of a run without one of its calls. A reservation ends when no call can take so long: its process was killed.
SELECT coalesce(sum(s.tokens), 0)::bigint AS tokens FROM ai_spend s
WHERE s.run_id = @run_id::uuid AND s.id <> @id
  AND (s.status <> 'reserved' OR s.created_at > clock_timestamp() - make_interval(secs => @reserved_seconds::float8));

-- name: Spent :one
-- Usage of a principal in the window, and the time until a call of one token fits; 0 when it does now.
WITH clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, clock_timestamp() - make_interval(secs => @window_seconds::float8) AS since
), sealed AS MATERIALIZED (
    -- Hours with stored sums that are entirely in the window. Without a mark there are none.
    SELECT CASE WHEN m.through IS NULL THEN 'infinity'
        ELSE least(greatest(date_bin('1 hour', clock.since, 'epoch') + interval '1 hour', m.begun), m.through) END AS first,
           coalesce(m.through, 'infinity') AS through
    FROM clock LEFT JOIN (SELECT b.through AS begun, e.through FROM sweeps b, sweeps e
        WHERE b.name = 'spend hours begin' AND e.name = 'spend hours') m ON true
), used AS MATERIALIZED (
    SELECT (coalesce((SELECT sum(s.tokens) FROM ai_spend s
                      WHERE s.connection_id = @connection_id AND s.principal_id = @principal_id
                        AND s.created_at > (SELECT since FROM clock) AND s.created_at < (SELECT first FROM sealed)
                        AND (sqlc.narg('counts_unattended')::boolean IS NULL OR s.unattended = sqlc.narg('counts_unattended')::boolean)), 0)
          + coalesce((SELECT sum(h.tokens) FROM ai_spend_hours h
                      WHERE h.connection_id = @connection_id AND h.principal_id = @principal_id
                        AND h.hour >= (SELECT first FROM sealed) AND h.hour < (SELECT through FROM sealed)
                        AND (sqlc.narg('counts_unattended')::boolean IS NULL OR h.unattended = sqlc.narg('counts_unattended')::boolean)), 0)
          + coalesce((SELECT sum(s.tokens) FROM ai_spend s
                      WHERE s.connection_id = @connection_id AND s.principal_id = @principal_id
                        AND s.created_at > (SELECT since FROM clock) AND s.created_at >= (SELECT through FROM sealed)
                        AND (sqlc.narg('counts_unattended')::boolean IS NULL
                            OR s.unattended = sqlc.narg('counts_unattended')::boolean)), 0))::bigint AS tokens
)
SELECT used.tokens AS used,
       CASE WHEN used.tokens < @cap::bigint THEN 0 ELSE coalesce((
           SELECT extract(epoch FROM min(w.created_at) - clock.since)
           FROM (SELECT s.created_at, sum(s.tokens) OVER (ORDER BY s.created_at DESC, s.id DESC) - s.tokens AS newer
                 FROM ai_spend s
                 WHERE s.connection_id = @connection_id AND s.principal_id = @principal_id AND s.created_at > (SELECT since FROM clock)
                   AND (sqlc.narg('counts_unattended')::boolean IS NULL OR s.unattended = sqlc.narg('counts_unattended')::boolean)) w
           WHERE w.newer < @cap::bigint), 0) END::float8 AS free_in_seconds
FROM used, clock;

-- name: SettleCall :exec
-- Stores the usage of a call; without a report it stays at its estimate. A settled call stays unchanged.
-- chat/stream/queries.sql does the same for calls with a step record.
INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, unattended, turn_id, step, attempt, purpose, reserved,
                      input_tokens, output_tokens, cached_tokens, model, took_ms, first_ms, failure, cost_micros, status, settled_at)
VALUES (@id, @connection_id, @principal_kind, @principal_id, @unattended, sqlc.narg('turn_id'), sqlc.narg('step'),
    sqlc.narg('attempt'), @purpose,
        @estimate, sqlc.narg('input_tokens'), sqlc.narg('output_tokens'), sqlc.narg('cached_tokens'),
        sqlc.narg('model'), sqlc.narg('took_ms'), sqlc.narg('first_ms'), sqlc.narg('failure'),
        sqlc.narg('cost_micros'), 'settled', clock_timestamp())
ON CONFLICT (id) DO UPDATE
SET status = 'settled', input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
    cached_tokens = excluded.cached_tokens,
    model = excluded.model, took_ms = excluded.took_ms, first_ms = excluded.first_ms, failure = excluded.failure,
    cost_micros = excluded.cost_micros,
    settled_at = excluded.settled_at,
    created_at = CASE ai_spend.status WHEN 'released' THEN excluded.created_at ELSE ai_spend.created_at END
WHERE ai_spend.status <> 'settled';

-- name: ReleaseCall :exec
-- Keeps the row, or inserts one where nothing was reserved: it counts as zero, and records the call and its failure.
INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, unattended, turn_id, step, attempt, purpose, reserved,
                      model, took_ms, first_ms, failure, status, settled_at)
VALUES (@id, @connection_id, @principal_kind, @principal_id, @unattended, sqlc.narg('turn_id'), sqlc.narg('step'),
    sqlc.narg('attempt'), @purpose,
        @estimate, sqlc.narg('model'), sqlc.narg('took_ms'), sqlc.narg('first_ms'), sqlc.narg('failure'), 'released', clock_timestamp())
ON CONFLICT (id) DO UPDATE
SET status = 'released', settled_at = excluded.settled_at, model = excluded.model, took_ms = excluded.took_ms, first_ms = excluded.first_ms,
    failure = excluded.failure
WHERE ai_spend.status <> 'settled';

-- name: SpendByPrincipal :many
-- Usage of a connection by principal in a window, largest first, after a given usage.
SELECT s.principal_kind, s.principal_id, sum(s.tokens)::bigint AS tokens, count(*) FILTER (WHERE s.status <> 'released') AS calls,
       coalesce(sum(s.tokens) FILTER (WHERE s.status = 'reserved'), 0)::bigint AS reserved,
       coalesce(sum(s.cached_tokens), 0)::bigint AS cached
FROM ai_spend s
WHERE s.connection_id = @connection_id AND s.created_at > (SELECT clock_timestamp() - make_interval(secs => @window_seconds::float8))
  AND (sqlc.narg('counts_unattended')::boolean IS NULL OR s.unattended = sqlc.narg('counts_unattended')::boolean)
GROUP BY s.principal_kind, s.principal_id
HAVING sum(s.tokens) > 0
   AND (sqlc.narg('after_tokens')::bigint IS NULL OR sum(s.tokens) < sqlc.narg('after_tokens')
        OR (sum(s.tokens) = sqlc.narg('after_tokens') AND s.principal_id > @after_id::uuid))
ORDER BY tokens DESC, s.principal_id LIMIT @max_rows::integer;

-- name: PruneSpend :execrows
-- No cap looks back further than a year.
WITH hours AS (
    DELETE FROM ai_spend_hours WHERE hour < now() - interval '366 days'
), buckets AS (
    DELETE FROM ai_spend_buckets WHERE bucket < now() - interval '366 days'
)
DELETE FROM ai_spend WHERE created_at < now() - interval '366 days';

-- name: LockHours :one
-- The range of hours to sum next, at most a day. It locks these calls against changes until the sums are stored.
SELECT s.through, least(s.through + interval '1 day',
    date_bin('1 hour', clock_timestamp() - interval '2 hours', 'epoch'))::timestamptz AS upto
FROM sweeps s WHERE s.name = 'spend hours' FOR UPDATE;

-- name: SealHours :exec
INSERT INTO ai_spend_hours (connection_id, principal_id, hour, unattended, tokens)
SELECT s.connection_id, s.principal_id, date_bin('1 hour', s.created_at, 'epoch'), s.unattended, sum(s.tokens)
FROM ai_spend s WHERE s.created_at >= sqlc.arg('from')::timestamptz AND s.created_at < sqlc.arg('upto')::timestamptz
GROUP BY 1, 2, 3, 4
ON CONFLICT (connection_id, principal_id, hour, unattended) DO UPDATE SET tokens = excluded.tokens;

-- name: MoveHours :exec
UPDATE sweeps SET through = @upto WHERE name = 'spend hours';

-- name: LockBuckets :one
-- The range of half hours to sum next, at most a day.
SELECT s.through, least(s.through + interval '1 day',
    date_bin('30 minutes', clock_timestamp() - interval '2 hours', 'epoch'))::timestamptz AS upto
FROM sweeps s WHERE s.name = 'spend buckets' FOR UPDATE;

-- name: TakeLate :many
-- Half hours with outdated sums, whose changes are all visible to the next statement.
WITH taken AS (
    DELETE FROM ai_spend_late WHERE id IN (SELECT l.id FROM ai_spend_late l ORDER BY l.id LIMIT 1000) RETURNING bucket
)
SELECT DISTINCT t.bucket FROM taken t WHERE t.bucket < @through::timestamptz ORDER BY t.bucket;

-- name: ForgetBucket :exec
DELETE FROM ai_spend_buckets WHERE bucket = @bucket;

-- name: SealBuckets :exec
INSERT INTO ai_spend_buckets (bucket, connection_id, model, principal_kind, principal_id, caller, calls, priced,
    tokens, input_tokens, output_tokens, cached_tokens, cost_micros)
SELECT date_bin('30 minutes', s.created_at, 'epoch'), s.connection_id, coalesce(s.model, ''), min(s.principal_kind), s.principal_id,
       ai_spend_caller(s.purpose, s.principal_kind, s.unattended, s.turn_id), count(*), count(s.cost_micros), sum(s.tokens),
       coalesce(sum(s.input_tokens), 0), coalesce(sum(s.output_tokens), 0), coalesce(sum(s.cached_tokens), 0),
       coalesce(sum(s.cost_micros), 0)
FROM ai_spend s
WHERE s.created_at >= sqlc.arg('from')::timestamptz AND s.created_at < sqlc.arg('upto')::timestamptz AND s.status <> 'released'
GROUP BY 1, 2, 3, 5, 6;

-- name: MoveBuckets :exec
UPDATE sweeps SET through = @upto WHERE name = 'spend buckets';

-- name: SpendSeries :many
-- Usage from each start to the next one, by key of a split: the twelve largest, and the sum of the others.
WITH mark AS MATERIALIZED (
    SELECT coalesce((SELECT s.through FROM sweeps s WHERE s.name = 'spend buckets'), '-infinity'::timestamptz) AS through
), used AS (
    SELECT b.bucket AS at, b.connection_id, b.model, b.principal_id, b.caller,
           b.calls, b.priced, b.tokens, b.input_tokens, b.output_tokens, b.cached_tokens, b.cost_micros
    FROM ai_spend_buckets b
    WHERE b.bucket >= @from_at::timestamptz AND b.bucket < least(@to_at::timestamptz, (SELECT through FROM mark))
      AND (sqlc.narg('principal_id')::uuid IS NULL OR b.principal_id = sqlc.narg('principal_id')::uuid)
      AND (sqlc.narg('connection_id')::uuid IS NULL OR b.connection_id = sqlc.narg('connection_id')::uuid)
    UNION ALL
    SELECT s.created_at, s.connection_id, coalesce(s.model, ''), s.principal_id,
           CASE WHEN @split::text = 'caller' THEN ai_spend_caller(s.purpose, s.principal_kind, s.unattended, s.turn_id) ELSE '' END,
           1, (s.cost_micros IS NOT NULL)::integer, s.tokens, coalesce(s.input_tokens, 0), coalesce(s.output_tokens, 0),
           coalesce(s.cached_tokens, 0), coalesce(s.cost_micros, 0)
    FROM ai_spend s
    WHERE s.created_at >= greatest(@from_at::timestamptz, (SELECT through FROM mark))
      AND s.created_at < @to_at::timestamptz AND s.status <> 'released'
      AND (sqlc.narg('principal_id')::uuid IS NULL OR s.principal_id = sqlc.narg('principal_id')::uuid)
      AND (sqlc.narg('connection_id')::uuid IS NULL OR s.connection_id = sqlc.narg('connection_id')::uuid)
), grouped AS MATERIALIZED (
    SELECT width_bucket(u.at, @starts::timestamptz[]) AS slot,
           CASE @split::text WHEN 'connection' THEN u.connection_id::text WHEN 'model' THEN u.model WHEN 'person' THEN u.principal_id::text
                             WHEN 'team' THEN coalesce(m.team_id::text, '') WHEN 'caller' THEN u.caller ELSE '' END AS key,
           sum(u.calls) AS calls, sum(u.priced) AS priced, sum(u.tokens) AS tokens, sum(u.input_tokens) AS input_tokens,
           sum(u.output_tokens) AS output_tokens, sum(u.cached_tokens) AS cached_tokens, sum(u.cost_micros) AS cost_micros
    FROM used u LEFT JOIN team_members m ON @split::text = 'team' AND m.user_id = u.principal_id
    GROUP BY 1, 2
), most AS MATERIALIZED (
    SELECT g.key FROM grouped g GROUP BY g.key ORDER BY sum(g.cost_micros) DESC, sum(g.tokens) DESC, g.key LIMIT 12
)
SELECT g.slot::integer AS slot, (o.key IS NULL)::boolean AS others, coalesce(o.key, '')::text AS key,
       sum(g.calls)::bigint AS calls, sum(g.priced)::bigint AS priced, sum(g.tokens)::bigint AS tokens,
       sum(g.input_tokens)::bigint AS input_tokens,
       sum(g.output_tokens)::bigint AS output_tokens, sum(g.cached_tokens)::bigint AS cached_tokens,
       sum(g.cost_micros)::bigint AS cost_micros
FROM grouped g LEFT JOIN most o ON o.key = g.key
GROUP BY 1, 2, 3 ORDER BY 2, 3, 1;
