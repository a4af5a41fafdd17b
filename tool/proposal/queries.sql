-- name: CreateProposal :one
-- Stores a proposal and moves its audit row from running to proposed. A retried step returns its proposal. A call or
-- turn that has ended makes no more proposals; the locks of both rows order this against their ends.
WITH turn AS (
    SELECT t.id FROM ai_turns t WHERE t.id = sqlc.narg('turn_id')::uuid AND t.status IN ('pending', 'running') FOR SHARE
), audited AS (
    UPDATE ai_tool_calls c SET status = 'proposed'
    WHERE c.id = @id AND c.status = 'running' AND (sqlc.narg('turn_id')::uuid IS NULL OR EXISTS (SELECT FROM turn))
    RETURNING c.id
), created AS (
    INSERT INTO ai_proposals (id, conversation_id, turn_id, tool_call_ref, principal_kind, principal_id, principal_name, tool_name, effect,
                              why_effect, outside, summary, payload, diff, labels, revision, why_confirm, automatic,
                              two_person, effects, reason, asked, answered, issuer_id, call_order, nonce_salt, seal,
                              transport, program_id, run_id, author_id, before, expires_at)
    SELECT a.id, @conversation_id, sqlc.narg('turn_id')::uuid, @tool_call_ref, @principal_kind, @principal_id,
           @principal_name, @tool_name, @effect,
            @why_effect, @outside, @summary, @payload, @diff, @labels, @revision, @why_confirm, @automatic,
            @two_person, @effects, @reason, @asked, @answered, sqlc.narg('issuer_id'),
            coalesce((SELECT c.step * 1000 + c.call FROM ai_tool_calls c WHERE c.id = @id), 0),
            @nonce_salt, @seal, @transport, sqlc.narg('program_id'), sqlc.narg('run_id'),
            sqlc.narg('author_id'),
            @before, now() + make_interval(secs => @ttl_seconds::float8)
    FROM audited a
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)
SELECT count(*) FROM created;

-- name: OtherWaitingProposals :one
-- Counts the open proposals of a principal; none when the proposal with this id is stored already.
SELECT count(*) FROM ai_proposals p
WHERE p.principal_kind = @principal_kind AND p.principal_id = @principal_id AND p.status = 'proposed' AND p.expires_at > now()
  AND NOT EXISTS (SELECT FROM ai_proposals o WHERE o.id = @id);

-- name: ProposalByID :one
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired, m.members, m.position FROM ai_proposals p
CROSS JOIN LATERAL (
    SELECT count(*) AS members, count(*) FILTER (WHERE (o.call_order, o.id) <= (p.call_order, p.id)) AS position
    FROM ai_proposals o WHERE o.turn_id = p.turn_id AND NOT o.automatic
) m
WHERE p.id = $1;

-- name: AppliedInReplaced :many
-- The newest applied changes of a conversation whose messages are no longer part of it.
SELECT p.id FROM ai_proposals p
WHERE p.conversation_id = @conversation_id::uuid AND p.status = 'applied'
  AND EXISTS (SELECT FROM ai_messages m WHERE m.turn_id = p.turn_id AND m.replaced_at IS NOT NULL)
ORDER BY p.created_at DESC LIMIT 20;

-- name: ListProposals :many
-- A principal's own proposals, those of others for tools about which it may decide, and those that it decided; the
-- modules check which of others' it sees. Custom tools are too many to list: they are all that are not built in, all of
-- them with @others_made, those of whole owners by @others_owners, such as agent.name; with @others any of these
-- applies. Each of the four kinds is read by its own index until it fills the page, and open ones by the index of open
-- proposals, so the cost of a page does not depend on their number. Planned for its filter. It scans a limited number
-- and returns those that match all patterns, and the last scanned one with the number of scanned rows, as the cursor of
-- the next page.
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired, m.members, m.position, l.fits::boolean AS fits, l.looked::bigint AS looked
FROM (
    SELECT g.id, g.fits, count(*) OVER () AS looked, row_number() OVER (ORDER BY g.created_at, g.id) AS from_end FROM (
    SELECT f.id, f.created_at, f.fits FROM (
     (SELECT o.id, o.created_at,
             concat_ws(' ', o.summary, o.tool_name, o.principal_name) ILIKE ALL (@patterns::text[]) AS fits
      FROM ai_proposals o
      WHERE o.principal_kind = @principal_kind AND o.principal_id = @principal_id
        AND (sqlc.narg('before_at')::timestamptz IS NULL
             OR (o.created_at, o.id) < (sqlc.narg('before_at')::timestamptz, sqlc.narg('before_id')::uuid))
        AND (sqlc.narg('status')::text IS NULL
             OR CASE WHEN o.status = 'proposed' AND o.expires_at <= now() THEN 'expired' ELSE o.status END = sqlc.narg('status'))
        AND (coalesce(sqlc.narg('status')::text, '') NOT IN ('proposed', 'applying') OR o.status = sqlc.narg('status'))
      ORDER BY o.created_at DESC, o.id DESC LIMIT @max_rows)
      UNION
     (SELECT o.id, o.created_at,
             concat_ws(' ', o.summary, o.tool_name, o.principal_name) ILIKE ALL (@patterns::text[]) AS fits
      FROM ai_proposals o
      WHERE o.decided_by_kind = @principal_kind AND o.decided_by_id = @principal_id
        AND (sqlc.narg('before_at')::timestamptz IS NULL
             OR (o.created_at, o.id) < (sqlc.narg('before_at')::timestamptz, sqlc.narg('before_id')::uuid))
        AND (sqlc.narg('status')::text IS NULL
             OR CASE WHEN o.status = 'proposed' AND o.expires_at <= now() THEN 'expired' ELSE o.status END = sqlc.narg('status'))
        AND (coalesce(sqlc.narg('status')::text, '') NOT IN ('proposed', 'applying') OR o.status = sqlc.narg('status'))
      ORDER BY o.created_at DESC, o.id DESC LIMIT @max_rows)
      UNION
     (SELECT o.id, o.created_at,
             concat_ws(' ', o.summary, o.tool_name, o.principal_name) ILIKE ALL (@patterns::text[]) AS fits
      FROM ai_proposals o
      WHERE o.two_person AND (o.tool_name = ANY(@tools::text[]) OR o.tool_name <> ALL(@fixed_tools::text[]))
        AND (sqlc.narg('before_at')::timestamptz IS NULL
             OR (o.created_at, o.id) < (sqlc.narg('before_at')::timestamptz, sqlc.narg('before_id')::uuid))
        AND (sqlc.narg('status')::text IS NULL
             OR CASE WHEN o.status = 'proposed' AND o.expires_at <= now() THEN 'expired' ELSE o.status END = sqlc.narg('status'))
        AND (coalesce(sqlc.narg('status')::text, '') NOT IN ('proposed', 'applying') OR o.status = sqlc.narg('status'))
      ORDER BY o.created_at DESC, o.id DESC LIMIT @max_rows)
      UNION
     (SELECT o.id, o.created_at,
             concat_ws(' ', o.summary, o.tool_name, o.principal_name) ILIKE ALL (@patterns::text[]) AS fits
      FROM ai_proposals o
      WHERE @others::boolean
        AND (o.tool_name = ANY(@others_tools::text[]) OR (@others_made::boolean AND o.tool_name <> ALL(@fixed_tools::text[]))
             OR EXISTS (SELECT FROM unnest(@others_owners::text[]) AS whose(name) WHERE starts_with(o.tool_name, whose.name || '.')))
        AND (sqlc.narg('before_at')::timestamptz IS NULL
             OR (o.created_at, o.id) < (sqlc.narg('before_at')::timestamptz, sqlc.narg('before_id')::uuid))
        AND (sqlc.narg('status')::text IS NULL
             OR CASE WHEN o.status = 'proposed' AND o.expires_at <= now() THEN 'expired' ELSE o.status END = sqlc.narg('status'))
        AND (coalesce(sqlc.narg('status')::text, '') NOT IN ('proposed', 'applying') OR o.status = sqlc.narg('status'))
      ORDER BY o.created_at DESC, o.id DESC LIMIT @max_rows)
    ) f
    ORDER BY f.created_at DESC, f.id DESC LIMIT @max_rows
    ) g
) l
JOIN ai_proposals p ON p.id = l.id
CROSS JOIN LATERAL (
    SELECT count(*) AS members, count(*) FILTER (WHERE (o.call_order, o.id) <= (p.call_order, p.id)) AS position
    FROM ai_proposals o WHERE o.turn_id = p.turn_id AND NOT o.automatic
) m
WHERE l.fits OR l.from_end = 1
ORDER BY p.created_at DESC, p.id DESC;

-- name: ProposalsAbout :many
-- Proposals that name one of some records, newest first, in a period. Planned for its filter.
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired, m.members, m.position, true AS fits, 0::bigint AS looked
FROM ai_proposals p
CROSS JOIN LATERAL (
    SELECT count(*) AS members, count(*) FILTER (WHERE (o.call_order, o.id) <= (p.call_order, p.id)) AS position
    FROM ai_proposals o WHERE o.turn_id = p.turn_id AND NOT o.automatic
) m
WHERE p.labels ?| @records::text[] AND p.created_at >= sqlc.arg('from')::timestamptz AND p.created_at < sqlc.arg('to')::timestamptz
  AND (p.created_at, p.id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY p.created_at DESC, p.id DESC LIMIT @max_rows;

-- name: BeginApply :one
-- The single-use step: exactly one caller moves a proposal from proposed to applying, and only before it expires.
WITH taken AS (
    UPDATE ai_proposals SET status = 'applying', decided_by_kind = @decided_by_kind, decided_by_id = @decided_by_id,
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(),
        apply_key = sqlc.narg('apply_key'),
        decision_reason = @decision_reason, two_person = @two_person, seal = @seal
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
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(), finished_at = now(),
        decision_reason = @decision_reason
    WHERE ai_proposals.id = @id AND status = 'proposed' AND expires_at > now()
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'declined', finished_at = clock_timestamp() FROM taken WHERE c.id = taken.id
), notified AS (
    SELECT pg_notify('proposals', id::text) FROM taken
)
SELECT count(*) FROM taken, notified;

-- name: Withdraw :many
-- Declines the open proposals of a principal's turns. Proposals of a plan are locked in the order of LockPlan.
WITH open AS (
    SELECT p.id FROM ai_proposals p
    WHERE p.turn_id = ANY(@turns::uuid[]) AND p.principal_kind = @principal_kind AND p.principal_id = @principal_id
      AND p.status = 'proposed' AND p.expires_at > now()
    ORDER BY p.turn_id, p.call_order, p.id FOR UPDATE
), taken AS (
    UPDATE ai_proposals p SET status = 'declined', decided_by_kind = @decided_by_kind, decided_by_id = @decided_by_id,
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(), finished_at = now(),
        decision_reason = @decision_reason
    FROM open WHERE p.id = open.id
    RETURNING p.id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'declined', finished_at = clock_timestamp() FROM taken WHERE c.id = taken.id
), notified AS (
    SELECT count(pg_notify('proposals', id::text)) FROM taken
)
SELECT taken.id FROM taken, notified;

-- name: WithdrawCall :one
-- Declines an open proposal for the turn that made it.
WITH taken AS (
    UPDATE ai_proposals p SET status = 'declined', withdrawn = true, decided_by_kind = p.principal_kind, decided_by_id = p.principal_id,
        decided_by_name = p.principal_name, decided_session_id = @decided_session_id::uuid, decided_at = now(), finished_at = now(),
        decision_reason = @decision_reason
    WHERE p.id = @id AND p.status = 'proposed'
    RETURNING p.id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'declined', finished_at = clock_timestamp() FROM taken WHERE c.id = taken.id
), notified AS (
    SELECT pg_notify('proposals', id::text) FROM taken
)
SELECT count(*) FROM taken, notified;

-- name: UnrecordedProposals :many
-- Proposals of a turn whose calls have no record in it.
SELECT c.id, c.step::int AS step, c.call::int AS call FROM ai_tool_calls c JOIN ai_proposals p ON p.id = c.id
WHERE c.turn_id = @turn_id AND NOT EXISTS (SELECT FROM turn_steps s WHERE s.turn_id = c.turn_id AND s.step = c.step AND s.call = c.call)
ORDER BY c.step, c.call;

-- name: Rebase :execrows
-- Sets the revision that an earlier change of the same plan left.
UPDATE ai_proposals SET revision = @revision, seal = @seal WHERE id = @id AND status = 'applying' AND apply_attempts = @attempt;

-- name: BeginAttempt :one
-- Counts an attempt to apply a change. Earlier attempts can no longer record anything.
UPDATE ai_proposals p SET apply_attempts = p.apply_attempts + 1 WHERE p.id = $1 AND p.status = 'applying' RETURNING *;

-- name: FinishApply :one
-- Records the outcome of the last attempt. After the failure of a change, later ones of its plan are skipped.
WITH done AS (
    UPDATE ai_proposals SET status = @status, result = @result, error = @error, finished_at = now()
    WHERE ai_proposals.id = @id AND ai_proposals.status = 'applying' AND ai_proposals.apply_attempts = @attempt
    RETURNING id, turn_id, planned, status
), skipped AS (
    UPDATE ai_proposals p SET status = 'skipped', finished_at = now() FROM done d
    WHERE d.status = 'failed' AND d.planned AND p.turn_id = d.turn_id AND p.planned AND p.status = 'applying' AND p.id <> d.id
    RETURNING p.id
), audited AS (
    UPDATE ai_tool_calls c SET status = f.status, error_code = nullif(f.error_code, ''), finished_at = clock_timestamp()
    FROM (SELECT id, @status AS status, @error_code::text AS error_code FROM done UNION ALL SELECT id, 'skipped', '' FROM skipped) f
    WHERE c.id = f.id
), notified AS (
    SELECT count(pg_notify('proposals', f.id::text)) FROM (SELECT id FROM done UNION ALL SELECT id FROM skipped) f
)
SELECT (SELECT count(*) FROM done) FROM notified;

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

-- name: DueProposals :many
-- A page of the proposals whose workflow may need a start or a signal again: those being applied, expired ones, and
-- decided ones of a chat without a follow-up turn, as long as its conversation exists; decisions about those of a run have
-- none. Each of the three has an index
-- of its own, so that open cards cost nothing.
SELECT d.id::uuid AS id, d.plan_id::uuid AS plan_id, d.due_at::timestamptz AS due_at FROM (
    SELECT p.id, CASE WHEN p.planned THEN p.turn_id ELSE @no_plan::uuid END AS plan_id, coalesce(p.decided_at, p.created_at) AS due_at
    FROM ai_proposals p WHERE p.status = 'applying'
    UNION ALL
    SELECT p.id, @no_plan::uuid, p.expires_at
    FROM ai_proposals p WHERE p.status = 'proposed' AND p.expires_at <= now()
    UNION ALL
    SELECT p.id, CASE WHEN p.planned THEN p.turn_id ELSE @no_plan::uuid END, p.finished_at
    FROM ai_proposals p
    WHERE p.status IN ('applied', 'failed', 'declined') AND NOT p.automatic AND NOT p.withdrawn
      AND p.turn_id IS NOT NULL AND p.run_id IS NULL AND p.finished_at > now() - interval '6 hours'
      AND EXISTS (SELECT FROM ai_turns o WHERE o.id = p.turn_id)
      AND NOT EXISTS (SELECT FROM ai_turns f WHERE f.proposal_id = CASE WHEN p.planned THEN p.turn_id ELSE p.id END)
) d
WHERE d.due_at < now() - @older_than::interval AND (d.due_at, d.id) > (@after_at::timestamptz, @after_id::uuid)
ORDER BY d.due_at, d.id LIMIT @max_rows;

-- name: ProposalsOf :many
-- The principal's own proposals among these: in a run those of the run.
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired FROM ai_proposals p
WHERE p.id = ANY(@ids::uuid[]) AND p.principal_kind = @principal_kind AND p.principal_id = @principal_id
  AND p.run_id IS NOT DISTINCT FROM sqlc.narg('run_id')::uuid;

-- name: ProposalsByID :many
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired FROM ai_proposals p WHERE p.id = ANY(@ids::uuid[]);

-- name: PlanMembers :many
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired FROM ai_proposals p
WHERE p.turn_id = @plan_id AND NOT p.automatic ORDER BY p.call_order, p.id;

-- name: LockPlan :many
-- All transactions lock the proposals of a plan in the same order.
SELECT sqlc.embed(p), (p.expires_at <= now()) AS is_expired FROM ai_proposals p
WHERE p.turn_id = @plan_id AND NOT p.automatic ORDER BY p.call_order, p.id FOR UPDATE;

-- name: PlanIsGrowing :one
-- Whether the turn still makes proposals.
SELECT EXISTS (SELECT FROM ai_turns WHERE id = @plan_id AND status IN ('pending', 'running'));

-- name: BeginPlan :one
-- Moves locked proposals from proposed to applying.
WITH taken AS (
    UPDATE ai_proposals SET status = 'applying', planned = true, decided_by_kind = @decided_by_kind, decided_by_id = @decided_by_id,
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(),
        apply_key = sqlc.narg('apply_key'),
        decision_reason = @decision_reason, two_person = d.two_person, seal = d.seal
    FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@two_person::boolean[]) AS two_person, unnest(@seals::bytea[]) AS seal) d
    WHERE ai_proposals.id = d.id AND status = 'proposed' AND expires_at > now()
    RETURNING ai_proposals.id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'applying', applied_by_kind = @decided_by_kind, applied_by_id = @decided_by_id
    FROM taken WHERE c.id = taken.id
)
SELECT count(*) FROM taken;

-- name: DeclinePlan :one
WITH taken AS (
    UPDATE ai_proposals SET status = 'declined', planned = true, decided_by_kind = @decided_by_kind, decided_by_id = @decided_by_id,
        decided_by_name = @decided_by_name, decided_session_id = @decided_session_id, decided_at = now(), finished_at = now(),
        decision_reason = @decision_reason
    WHERE ai_proposals.id = ANY(@ids::uuid[]) AND status = 'proposed' AND expires_at > now()
    RETURNING id
), audited AS (
    UPDATE ai_tool_calls c SET status = 'declined', finished_at = clock_timestamp() FROM taken WHERE c.id = taken.id
), notified AS (
    SELECT count(pg_notify('proposals', id::text)) FROM taken
)
SELECT (SELECT count(*) FROM taken) FROM notified;
