-- +goose Up
-- Sums of ai_spend by the half hour, for charts of months: by whom, on which connection, with which model, and for whom the call was made.
-- Half hours begin with the days of nearly all time zones.
CREATE TABLE ai_spend_buckets (
    bucket         timestamptz NOT NULL,
    connection_id  uuid        NOT NULL,
    model          text        NOT NULL,
    principal_kind text        NOT NULL,
    principal_id   uuid        NOT NULL,
    caller         text        NOT NULL CHECK (caller IN ('chat', 'client', 'automation', 'application', 'check')),
    calls          bigint      NOT NULL,
    -- How many of the calls have a cost.
    priced         bigint      NOT NULL,
    tokens         bigint      NOT NULL,
    input_tokens   bigint      NOT NULL,
    output_tokens  bigint      NOT NULL,
    cached_tokens  bigint      NOT NULL,
    cost_micros    bigint      NOT NULL,
    PRIMARY KEY (bucket, principal_id, connection_id, model, caller)
);
CREATE INDEX ai_spend_buckets_principal ON ai_spend_buckets (principal_id, bucket);

-- Half hours of which a call has changed that may be added up already.
CREATE TABLE ai_spend_late (
    id     bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bucket timestamptz NOT NULL
);

-- What lies before is added up from here on, a few days at a time.
INSERT INTO sweeps (name, through)
SELECT 'spend buckets', date_bin('30 minutes', coalesce(min(created_at), now()), 'epoch') FROM ai_spend;

-- +goose StatementBegin
CREATE FUNCTION ai_spend_caller(purpose text, kind text, unattended boolean, turn uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN purpose = 'check' THEN 'check'
        WHEN kind = 'application' THEN 'application'
        WHEN unattended THEN 'automation'
        WHEN EXISTS (SELECT 1 FROM public.ai_turns t JOIN public.ai_conversations c ON c.id = t.conversation_id
                     WHERE t.id = turn AND c.client_id IS NOT NULL) THEN 'client'
        ELSE 'chat' END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION ai_spend_is_late() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.ai_spend_late (bucket)
    SELECT DISTINCT date_bin('30 minutes', at, 'epoch') FROM unnest(ARRAY[OLD.created_at, NEW.created_at]) at
    WHERE at < clock_timestamp() - interval '90 minutes';
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- No half hour is added up before two hours have passed.
CREATE TRIGGER ai_spend_is_late AFTER UPDATE ON ai_spend FOR EACH ROW
WHEN (least(OLD.created_at, NEW.created_at) < clock_timestamp() - interval '90 minutes' AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION ai_spend_is_late();

-- +goose Down
DROP TRIGGER ai_spend_is_late ON ai_spend;
DROP FUNCTION ai_spend_is_late();
DROP FUNCTION ai_spend_caller(text, text, boolean, uuid);
DELETE FROM sweeps WHERE name = 'spend buckets';
DROP TABLE ai_spend_late;
DROP TABLE ai_spend_buckets;
