-- +goose Up
-- Events of proposals and tool calls, written in the transaction of the row, on every path and by every version. They hold no
-- arguments and no text. Package event reads the cause.
-- +goose StatementBegin
CREATE FUNCTION event_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION event_tool_call() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- +goose Down
DROP FUNCTION event_tool_call();
DROP FUNCTION event_proposal();
