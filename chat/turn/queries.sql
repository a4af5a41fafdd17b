-- name: AcceptMessage :one
-- Stores a person's message with its turn, unless the conversation is busy, the message is known, or too many turns of the
-- principal run: then it returns no row. The stream of the request counts as open. Content of a program taints the
-- conversation. A turn that is accepted as claimed runs at once in the accepting process, with claim 1.
WITH accepted AS (
    INSERT INTO ai_turns (id, conversation_id, kind, message_id, request_hash, assistant_message_id, principal_kind, principal_id,
                          session_id, connection_id, model, permission_mode, time_zone, skill_id, tainted,
                          open_streams, status, claim, cause)
    SELECT @id::uuid, @conversation_id::uuid, 'message', @message_id::text, @request_hash::bytea, @assistant_message_id::text,
           @principal_kind::text, @principal_id::uuid, @session_id::uuid, @connection_id::uuid, @model::text, @permission_mode::text,
           sqlc.narg('time_zone')::text, sqlc.narg('skill_id')::text, @program::text <> '', 1,
           CASE WHEN @claimed::boolean THEN 'running' ELSE 'pending' END, (@claimed::boolean)::integer,
           event_cause(sqlc.narg('cause')::jsonb)
    WHERE (SELECT count(*) FROM ai_turns r
        WHERE r.principal_id = @principal_id::uuid AND r.status IN ('pending', 'running')) < @most_running::bigint
    ON CONFLICT DO NOTHING
    RETURNING id, conversation_id, created_at
), message AS (
    INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
    SELECT conversation_id, @message_id::text, id, 'user', @content::text, @parts::jsonb,
           jsonb_build_object('turnId', id, 'createdAt', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    FROM accepted
), program AS (
    INSERT INTO ai_taints (conversation_id, turn_id, kind, source)
    SELECT conversation_id, id, 'program', @program::text FROM accepted WHERE @program::text <> ''
    ON CONFLICT (conversation_id, kind, tool_name, source) WHERE accepted_at IS NULL
    DO UPDATE SET seq = excluded.seq, turn_id = excluded.turn_id, at = excluded.at
), touched AS (
    UPDATE ai_conversations c SET updated_at = now(), title = coalesce(c.title, nullif(@title::text, ''))
    FROM accepted WHERE c.id = accepted.conversation_id
)
SELECT created_at FROM accepted;

-- name: AcceptDecision :one
-- The turn runs in the mode of the turn that proposed, unless the conversation is in approve mode by now or was archived: a
-- turn without a message of a person needs approval there.
WITH accepted AS (
    INSERT INTO ai_turns (id, conversation_id, kind, proposal_id, decision, assistant_message_id, principal_kind, principal_id,
                          session_id, connection_id, model, permission_mode, time_zone, skill_id, status, claim)
    SELECT @id::uuid, c.id, 'decision', @proposal_id::uuid, sqlc.narg('decision')::text, @assistant_message_id::text,
           @principal_kind::text, @principal_id::uuid,
           @session_id::uuid, @connection_id::uuid, @model::text,
           CASE WHEN c.permission_mode = 'auto' AND c.archived_at IS NULL THEN @permission_mode::text ELSE 'approve' END,
           sqlc.narg('time_zone')::text, sqlc.narg('skill_id')::text,
           CASE WHEN @claimed::boolean THEN 'running' ELSE 'pending' END, (@claimed::boolean)::integer
    FROM ai_conversations c WHERE c.id = @conversation_id
    ON CONFLICT DO NOTHING
    RETURNING id, conversation_id, created_at
), touched AS (
    UPDATE ai_conversations c SET updated_at = now() FROM accepted WHERE c.id = accepted.conversation_id
)
SELECT created_at FROM accepted;

-- name: TurnByMessage :one
SELECT * FROM ai_turns WHERE conversation_id = $1 AND message_id = $2;

-- name: TurnByAnswer :one
SELECT * FROM ai_turns WHERE conversation_id = $1 AND assistant_message_id = $2;

-- name: LockConversation :one
-- Blocks new messages and decisions in the conversation.
SELECT id FROM ai_conversations WHERE id = $1 FOR UPDATE;

-- name: ReplaceFrom :many
-- Removes a person's message, and everything after it, from the conversation, and drops a summary that covers some of it.
-- Returns the turns of the removed messages.
WITH first AS (
    SELECT m.position FROM ai_messages m WHERE m.conversation_id = @conversation_id AND m.id = @message_id AND m.role = 'user'
), replaced AS (
    UPDATE ai_messages m SET replaced_at = now(), id = CASE m.role WHEN 'user' THEN 'replaced/' || m.turn_id ELSE m.id END
    FROM first
    WHERE m.conversation_id = @conversation_id AND m.position >= first.position AND m.replaced_at IS NULL
    RETURNING m.turn_id, m.role
), turns AS (
    UPDATE ai_turns t SET message_id = 'replaced/' || t.id FROM replaced r WHERE t.id = r.turn_id AND r.role = 'user'
), forgotten AS (
    UPDATE ai_conversations c SET summary = NULL, summarized_through = NULL
    FROM first
    WHERE c.id = @conversation_id AND c.summarized_through >= first.position
)
SELECT DISTINCT turn_id FROM replaced;

-- name: TurnIsReplaced :one
SELECT EXISTS (SELECT FROM ai_messages m WHERE m.turn_id = $1 AND m.replaced_at IS NOT NULL);

-- name: TurnByProposal :one
SELECT * FROM ai_turns WHERE proposal_id = $1;

-- name: ActiveTurn :one
SELECT * FROM ai_turns WHERE conversation_id = $1 AND status IN ('pending', 'running');

-- name: CountRunning :one
SELECT count(*) FROM ai_turns WHERE principal_id = $1 AND status IN ('pending', 'running');

-- name: TurnByID :one
SELECT * FROM ai_turns WHERE id = $1;

-- name: ClaimTurn :one
-- Raises the fencing token for this process: records and the finish of any earlier claim are refused from now on.
UPDATE ai_turns SET claim = claim + 1, status = 'running'
WHERE id = @id AND status IN ('pending', 'running') RETURNING *;

-- name: ClaimNewTurn :one
-- ClaimTurn, unless a process has claimed the turn before.
UPDATE ai_turns SET claim = claim + 1, status = 'running'
WHERE id = @id AND status = 'pending' AND claim = 0 RETURNING *;

-- name: HeldTurn :one
-- A turn that was accepted as claimed, unless another process has claimed it since.
SELECT * FROM ai_turns WHERE id = @id AND claim = 1 AND status IN ('pending', 'running');

-- name: ClaimOfTurn :one
SELECT claim, status FROM ai_turns WHERE id = $1;

-- name: TurnSteps :many
SELECT step, call, result FROM turn_steps WHERE turn_id = $1 ORDER BY step, call;

-- name: TurnHistory :many
-- The messages of the turn's conversation that are not summarized, the turn's own last.
SELECT coalesce(m.position, 0)::bigint AS position, m.turn_id, m.role, m.content, m.model_messages, m.created_at
FROM ai_messages m
JOIN ai_conversations c ON c.id = m.conversation_id
WHERE c.id = (SELECT t.conversation_id FROM ai_turns t WHERE t.id = $1)
  AND m.position > coalesce(c.summarized_through, 0) AND m.replaced_at IS NULL
ORDER BY m.position;

-- name: TurnSummary :one
-- The summary of messages that are not part of the history, and the history that a client has sent before the turn's
-- message. is_clipped says that this turn made the summary without a part of a message.
SELECT coalesce(c.summary, '')::text AS summary, coalesce(c.summary_clipped_by = t.id, false)::boolean AS is_clipped,
    h.messages AS told, coalesce(h.left_out, 0)::integer AS left_out
FROM ai_turns t JOIN ai_conversations c ON c.id = t.conversation_id LEFT JOIN ai_turn_history h ON h.turn_id = t.id
WHERE t.id = $1;

-- name: MessageIsKept :one
-- Removal always covers everything after a message, so a message that is present has all messages before it.
SELECT EXISTS (SELECT FROM ai_messages m
    WHERE m.conversation_id = @conversation_id AND m.position = @position::bigint AND m.replaced_at IS NULL);

-- name: SummarizeConversation :execrows
-- Replaces every message up to a position by a summary. A summary of another process that covers more is kept.
UPDATE ai_conversations SET summary = @summary::text, summarized_through = @through::bigint,
    summary_clipped_by = CASE WHEN @is_clipped::boolean THEN @turn_id::uuid ELSE summary_clipped_by END
WHERE id = @id AND coalesce(summarized_through, 0) < @through::bigint;

-- name: WithheldContent :many
-- Keys of content that this model of the connection refuses to read, and of what is suspected of it: is_due when this turn
-- is to send it again.
SELECT content_key, (suspected AND tries < @most_tries::int AND turn_id IS DISTINCT FROM @turn_id::uuid)::boolean AS is_due
FROM ai_withheld_content
WHERE conversation_id = @conversation_id AND connection_id = @connection_id AND model = @model
    AND connection_revision >= @provider_revision
ORDER BY at DESC LIMIT 1000;

-- name: WithholdContent :exec
INSERT INTO ai_withheld_content AS w (conversation_id, connection_id, content_key, model, connection_revision, suspected, turn_id)
SELECT @conversation_id, @connection_id, k.key, @model, @revision, k.key = ANY (@suspected::text[]), @turn_id::uuid
FROM unnest(@keys::text[]) AS k (key)
ON CONFLICT (conversation_id, connection_id, content_key) DO UPDATE
SET model = excluded.model, connection_revision = excluded.connection_revision, suspected = excluded.suspected, at = now(),
    turn_id = excluded.turn_id, tries = CASE
        WHEN w.model <> excluded.model OR w.connection_revision < @provider_revision THEN 1
        ELSE w.tries + (w.turn_id IS DISTINCT FROM excluded.turn_id)::int
    END;

-- name: ClearSuspectedContent :exec
-- Drops the suspicion against content that was sent again, except what was found to be refused.
DELETE FROM ai_withheld_content
WHERE conversation_id = @conversation_id AND connection_id = @connection_id AND content_key = ANY (@sent::text[])
    AND content_key <> ALL (@refused::text[]);

-- name: NameConversation :execrows
-- Replaces the conversation's initial name, unless the person has changed it.
UPDATE ai_conversations SET title = @title::text WHERE id = @id AND title = @given::text;

-- name: TurnTaints :many
-- The untrusted content of the turn's conversation that is not accepted, newest first; in a run, of all its conversations.
WITH own AS (
    SELECT c.id, c.kind, c.owner_id FROM ai_conversations c WHERE c.id = (SELECT t.conversation_id FROM ai_turns t WHERE t.id = $1)
)
SELECT seq, kind, tool_name, source, at FROM ai_taints
WHERE conversation_id IN (
        SELECT id FROM own
        UNION ALL
        SELECT o.id FROM own JOIN ai_conversations o ON o.owner_id = own.owner_id AND o.archived_at IS NULL AND o.id <> own.id
        WHERE own.kind = 'run')
  AND accepted_at IS NULL
ORDER BY seq DESC LIMIT 100;

-- name: TaintTurn :one
-- Repeated content counts as new, as it may have changed since its acceptance. With unless_accepted it is known to be the
-- same, and the query returns no row.
WITH turn AS (
    UPDATE ai_turns SET tainted = true WHERE id = @turn_id AND NOT tainted
)
INSERT INTO ai_taints (conversation_id, turn_id, kind, tool_name, source)
SELECT @conversation_id, @turn_id::uuid, @kind, @tool_name, @source
WHERE NOT (@unless_accepted::boolean AND EXISTS (
    SELECT FROM ai_taints t WHERE t.conversation_id = @conversation_id AND t.kind = @kind AND t.source = @source
        AND t.accepted_at IS NOT NULL))
ON CONFLICT (conversation_id, kind, tool_name, source) WHERE accepted_at IS NULL
DO UPDATE SET seq = excluded.seq, turn_id = excluded.turn_id, at = excluded.at
RETURNING seq, at;

-- name: UnknownWritten :many
-- The places, from 1, of texts that the conversation does not hold in their current form.
SELECT w.place::int FROM (
    SELECT generate_subscripts(@records::uuid[], 1) AS place, unnest(@records::uuid[]) AS record, unnest(@authors::uuid[]) AS author,
           unnest(@written_at::timestamptz[]) AS at) w
WHERE NOT EXISTS (
    SELECT FROM ai_taints t
    WHERE t.conversation_id = @conversation_id AND t.author_id = w.author AND w.record = ANY(t.objects) AND t.at > w.at)
ORDER BY w.place;

-- name: TaintWritten :many
-- One row for each author of content that the turn reads, with its records.
WITH turn AS (
    UPDATE ai_turns SET tainted = true WHERE id = @turn_id AND NOT tainted
)
INSERT INTO ai_taints AS t (conversation_id, turn_id, kind, tool_name, source, author_id, objects)
SELECT @conversation_id, @turn_id::uuid, 'written', @tool_name, w.source, w.author_id, w.objects
FROM jsonb_to_recordset(@written::jsonb) AS w(source text, author_id uuid, objects uuid[])
ON CONFLICT (conversation_id, kind, tool_name, source) WHERE accepted_at IS NULL
DO UPDATE SET seq = excluded.seq, turn_id = excluded.turn_id, at = excluded.at, author_id = excluded.author_id,
    objects = ARRAY(SELECT DISTINCT unnest(t.objects || excluded.objects))
RETURNING t.seq, t.source, t.at;

-- name: ConversationTaints :many
SELECT seq, kind, tool_name, source, at FROM ai_taints
WHERE conversation_id = $1 AND accepted_at IS NULL
ORDER BY seq DESC LIMIT 100;

-- name: AcceptTaints :many
-- Content that came after the person looked has a higher number and stays unaccepted.
UPDATE ai_taints SET accepted_at = now(), accepted_by_id = @accepted_by_id::uuid
WHERE conversation_id = @conversation_id AND seq <= @through AND accepted_at IS NULL
RETURNING seq, kind, tool_name, source, at;

-- name: LockTurn :exec
SELECT FROM ai_turns WHERE id = $1 FOR UPDATE;

-- name: FinishTurn :one
-- Ends the turn with its one assistant message and the last events of its stream, if the fencing token is current and every
-- proposal of the turn has a record. Open calls end with it. LockTurn precedes it, so that a proposal that is being stored
-- is seen.
WITH finished AS (
    UPDATE ai_turns
    SET status = @status, error_code = nullif(@error_code::text, ''), error_message = nullif(@error_message::text, ''),
        input_tokens = @input_tokens, output_tokens = @output_tokens, finished_at = now()
    WHERE ai_turns.id = @id AND claim = @claim AND ai_turns.status IN ('pending', 'running')
      AND NOT EXISTS (
          SELECT FROM ai_tool_calls c JOIN ai_proposals p ON p.id = c.id
          WHERE c.turn_id = @id
            AND NOT EXISTS (SELECT FROM turn_steps s WHERE s.turn_id = c.turn_id AND s.step = c.step AND s.call = c.call))
    RETURNING ai_turns.id, conversation_id, assistant_message_id
), calls AS (
    UPDATE ai_tool_calls c
    SET status = 'failed', error_code = CASE @status WHEN 'stopped' THEN 'stopped' ELSE 'internal' END,
        finished_at = clock_timestamp()
    FROM finished f WHERE c.turn_id = f.id AND c.status = 'running'
), message AS (
    INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata, model_messages)
    SELECT conversation_id, assistant_message_id, id, 'assistant', @content::text, @parts::jsonb, @metadata::jsonb, @model_messages::jsonb
    FROM finished
), events AS (
    INSERT INTO turn_events (turn_id, seq, step, chunk)
    SELECT f.id, e.seq, @step::smallint, e.chunk
    FROM finished f, (SELECT unnest(@seqs::bigint[]) AS seq, unnest(@chunks::text[]) AS chunk) e
), touched AS (
    UPDATE ai_conversations c SET updated_at = now() FROM finished f WHERE c.id = f.conversation_id
)
SELECT id FROM finished;

-- name: RequestStop :one
WITH stopped AS (
    UPDATE ai_turns SET stop_requested_at = coalesce(stop_requested_at, now())
    WHERE conversation_id = $1 AND status IN ('pending', 'running')
    RETURNING id
)
SELECT id, pg_notify('turn_stops', id::text)::text FROM stopped;

-- name: StopTurn :one
-- Stops one turn, unless a later retry of its request has joined it.
WITH stopped AS (
    UPDATE ai_turns t SET stop_requested_at = coalesce(t.stop_requested_at, now())
    WHERE t.id = @id AND t.status IN ('pending', 'running')
      AND NOT EXISTS (SELECT FROM ai_client_requests r
                      WHERE r.key_hash = @request::bytea AND r.turn_id = t.id AND r.attempts > @attempts::integer)
    RETURNING t.id
)
SELECT id, pg_notify('turn_stops', id::text)::text FROM stopped;

-- name: AttachStream :exec
UPDATE ai_turns SET open_streams = open_streams + 1, left_at = NULL WHERE id = @id AND status IN ('pending', 'running');

-- name: DetachStream :one
UPDATE ai_turns SET open_streams = greatest(open_streams - 1, 0),
    left_at = CASE WHEN @closed::boolean AND open_streams <= 1 THEN now() ELSE left_at END
WHERE id = @id AND status IN ('pending', 'running') RETURNING open_streams;

-- name: StopRequested :one
SELECT (stop_requested_at IS NOT NULL)::boolean AS stopped FROM ai_turns WHERE id = $1;

-- name: UnfinishedTurns :many
-- A page of the turns to reconcile: accepted but not started, or running for a while.
SELECT id, status, created_at FROM ai_turns
WHERE status IN ('pending', 'running') AND status = ANY(@statuses::text[]) AND created_at < now() - @older_than::interval
  AND (created_at, id) > (@after_at::timestamptz, @after_id::uuid)
ORDER BY created_at, id LIMIT @max_rows;

-- name: TurnProgress :one
SELECT (SELECT count(*) FROM turn_steps s WHERE s.turn_id = @id::uuid) AS records,
       (SELECT coalesce(max(e.seq), 0) FROM turn_events e WHERE e.turn_id = @id::uuid)::bigint AS last_event;
