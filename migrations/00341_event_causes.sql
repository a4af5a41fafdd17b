-- +goose Up
-- What led to a turn: run, event and depth of the cause that package event notes, without its request, turn and proposal. NULL
-- for a turn that a person or a program began.
ALTER TABLE ai_turns ADD COLUMN cause jsonb;

-- The cause of an event with what its row alone does not say: run and depth are those of the turn that acted, or the depth is one
-- more than that of the event whose consumer acted.
CREATE FUNCTION event_cause(cause jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN $1 ? 'depth' THEN $1
        WHEN $1 ? 'event' THEN $1 || jsonb_build_object('depth', 1 + coalesce(
            (SELECT (e.cause ->> 'depth')::integer FROM events e WHERE e.id = ($1 ->> 'event')::bigint), 0))
        WHEN $1 ? 'turn' THEN coalesce((SELECT t.cause FROM ai_turns t WHERE t.id = ($1 ->> 'turn')::uuid), '{}') || $1
        ELSE $1
    END
$$;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind    text;
    payload jsonb := jsonb_build_object('proposalId', NEW.id, 'toolName', NEW.tool_name, 'effect', NEW.effect,
        'proposer', NEW.principal_kind || ':' || NEW.principal_id, 'automatic', NEW.automatic);
BEGIN
    IF TG_OP = 'INSERT' THEN
        kind := 'ai.proposalWaiting';
        payload := payload || jsonb_build_object('expiresAt', NEW.expires_at);
    ELSIF NEW.status = 'expired' THEN
        kind := 'ai.proposalExpired';
    ELSE
        kind := 'ai.proposalDecided';
        payload := payload || jsonb_build_object('accepted', NEW.status = 'applying',
            'decider', coalesce(NEW.decided_by_kind || ':' || NEW.decided_by_id, ''));
    END IF;
    INSERT INTO events (type, subject, payload, cause)
    VALUES (kind, 'proposal:' || NEW.id, payload, event_cause(jsonb_strip_nulls(jsonb_build_object('turn', NEW.turn_id))));
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_tool_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (type, subject, payload, cause)
    VALUES ('ai.toolCalled', 'toolcall:' || NEW.id,
        jsonb_build_object('callId', NEW.id, 'toolName', NEW.tool_name, 'effect', NEW.effect, 'transport', NEW.transport,
            'caller', NEW.principal_kind || ':' || NEW.principal_id, 'failed', NEW.status = 'failed',
            'errorCode', coalesce(NEW.error_code, '')),
        event_cause(jsonb_strip_nulls(jsonb_build_object('turn', NEW.turn_id,
            'proposal', CASE WHEN OLD.status = 'applying' THEN NEW.id END))));
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind    text;
    payload jsonb := jsonb_build_object('proposalId', NEW.id, 'toolName', NEW.tool_name, 'effect', NEW.effect,
        'proposer', NEW.principal_kind || ':' || NEW.principal_id, 'automatic', NEW.automatic);
BEGIN
    IF TG_OP = 'INSERT' THEN
        kind := 'ai.proposalWaiting';
        payload := payload || jsonb_build_object('expiresAt', NEW.expires_at);
    ELSIF NEW.status = 'expired' THEN
        kind := 'ai.proposalExpired';
    ELSE
        kind := 'ai.proposalDecided';
        payload := payload || jsonb_build_object('accepted', NEW.status = 'applying',
            'decider', coalesce(NEW.decided_by_kind || ':' || NEW.decided_by_id, ''));
    END IF;
    INSERT INTO events (type, subject, payload, cause)
    VALUES (kind, 'proposal:' || NEW.id, payload, jsonb_strip_nulls(jsonb_build_object('turn', NEW.turn_id)));
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_tool_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events (type, subject, payload, cause)
    VALUES ('ai.toolCalled', 'toolcall:' || NEW.id,
        jsonb_build_object('callId', NEW.id, 'toolName', NEW.tool_name, 'effect', NEW.effect, 'transport', NEW.transport,
            'caller', NEW.principal_kind || ':' || NEW.principal_id, 'failed', NEW.status = 'failed',
            'errorCode', coalesce(NEW.error_code, '')),
        jsonb_strip_nulls(jsonb_build_object('turn', NEW.turn_id, 'proposal', CASE WHEN OLD.status = 'applying' THEN NEW.id END)));
    RETURN NULL;
END
$$;
-- +goose StatementEnd
DROP FUNCTION event_cause(jsonb);
ALTER TABLE ai_turns DROP COLUMN cause;
