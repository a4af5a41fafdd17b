-- name: CreateProposal :one
-- Stores a proposal and takes its audit row from running to proposed. A repeated step finds the proposal it made.
WITH created AS (
    INSERT INTO ai_proposals (id, conversation_id, turn_id, tool_call_ref, principal_kind, principal_id, principal_name, tool_name, effect,
                              summary, payload, diff, revision, why_confirm, automatic, nonce_salt, expires_at)
    VALUES (@id, @conversation_id, @turn_id, @tool_call_ref, @principal_kind, @principal_id, @principal_name, @tool_name, @effect,
            @summary, @payload, @diff, @revision, @why_confirm, @automatic, @nonce_salt, now() + make_interval(secs => @ttl_seconds::float8))
    ON CONFLICT (id) DO NOTHING
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'proposed' FROM created WHERE c.id = created.id AND c.status = 'running'
)
SELECT count(*) FROM created;

-- name: ProposalByID :one
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired FROM ai_proposals p WHERE p.id = $1;

-- name: ListProposals :many
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired FROM ai_proposals p
WHERE (sqlc.narg('principal_id')::uuid IS NULL OR p.principal_id = sqlc.narg('principal_id'))
  AND (sqlc.narg('status')::text IS NULL
       OR CASE WHEN p.status = 'proposed' AND p.expires_at <= now() THEN 'expired' ELSE p.status END = sqlc.narg('status'))
ORDER BY p.created_at DESC, p.id LIMIT @max_rows;

-- name: BeginApply :one
-- The single-use step: exactly one caller takes a proposal from proposed to applying, and only while it is fresh.
WITH taken AS (
    UPDATE ai_proposals SET status = 'applying', decided_by_kind = @decided_by_kind, decided_by_id = @decided_by_id,
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(), apply_key = sqlc.narg('apply_key')
    WHERE ai_proposals.id = @id AND status = 'proposed' AND expires_at > now()
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'applying', applied_by_kind = @decided_by_kind, applied_by_id = @decided_by_id
    FROM taken WHERE c.id = taken.id
)
SELECT count(*) FROM taken;

-- name: Decline :one
WITH taken AS (
    UPDATE ai_proposals SET status = 'declined', decided_by_kind = @decided_by_kind, decided_by_id = @decided_by_id,
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(), finished_at = now()
    WHERE ai_proposals.id = @id AND status = 'proposed' AND expires_at > now()
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'declined', finished_at = clock_timestamp() FROM taken WHERE c.id = taken.id
), notified AS (
    SELECT pg_notify('proposals', id::text) FROM taken
)
SELECT count(*) FROM taken, notified;

-- name: FinishApply :one
WITH done AS (
    UPDATE ai_proposals SET status = @status, result = @result, error = @error, finished_at = now()
    WHERE ai_proposals.id = @id AND status = 'applying'
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = @status, error_code = nullif(@error_code::text, ''), finished_at = clock_timestamp()
    FROM done WHERE c.id = done.id
), notified AS (
    SELECT pg_notify('proposals', id::text) FROM done
)
SELECT count(*) FROM done, notified;

-- name: Expire :one
WITH done AS (
    UPDATE ai_proposals SET status = 'expired', finished_at = now()
    WHERE ai_proposals.id = @id AND status = 'proposed' AND expires_at <= now()
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'expired', finished_at = clock_timestamp() FROM done WHERE c.id = done.id
), notified AS (
    SELECT pg_notify('proposals', id::text) FROM done
)
SELECT count(*) FROM done, notified;

-- name: OpenProposals :many
-- Proposals whose workflow may need a start or a signal again.
SELECT id, status, expires_at, decided_at, (expires_at <= now()) AS is_expired FROM ai_proposals
WHERE status IN ('proposed', 'applying') AND created_at < now() - make_interval(secs => @older_than_seconds::float8)
ORDER BY created_at LIMIT 200;
