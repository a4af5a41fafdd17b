-- +goose Up
-- Sums of ai_spend by the hour, so that a window of a month is added up from hours and from the calls at its two ends, and not from
-- each of its calls. They hold from one hour to another: what lies before was there before this migration, what comes after may change.
CREATE TABLE ai_spend_hours (
    connection_id uuid        NOT NULL,
    principal_id  uuid        NOT NULL,
    hour          timestamptz NOT NULL,
    unattended    boolean     NOT NULL,
    tokens        bigint      NOT NULL,
    PRIMARY KEY (connection_id, principal_id, hour, unattended)
);
CREATE INDEX ai_spend_hours_hour ON ai_spend_hours USING brin (hour) WITH (pages_per_range = 16);
INSERT INTO sweeps (name, through)
SELECT n, date_bin('1 hour', now(), 'epoch') FROM (VALUES ('spend hours begin'), ('spend hours')) v(n);

-- A call whose use becomes known hours later changes the sum that it is part of. Whoever adds up an hour waits for who changes a call of
-- it, and the other way round.
-- +goose StatementBegin
CREATE FUNCTION ai_spend_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    begun  timestamptz;
    sealed timestamptz;
BEGIN
    SELECT b.through INTO begun FROM public.sweeps b WHERE b.name = 'spend hours begin';
    SELECT s.through INTO sealed FROM public.sweeps s WHERE s.name = 'spend hours' FOR SHARE;
    IF OLD.created_at >= begun AND OLD.created_at < sealed THEN
        UPDATE public.ai_spend_hours h SET tokens = h.tokens - OLD.tokens
        WHERE h.connection_id = OLD.connection_id AND h.principal_id = OLD.principal_id
          AND h.hour = date_bin('1 hour', OLD.created_at, 'epoch') AND h.unattended = OLD.unattended;
    END IF;
    IF NEW.created_at >= begun AND NEW.created_at < sealed THEN
        INSERT INTO public.ai_spend_hours AS h (connection_id, principal_id, hour, unattended, tokens)
        VALUES (NEW.connection_id, NEW.principal_id, date_bin('1 hour', NEW.created_at, 'epoch'), NEW.unattended, NEW.tokens)
        ON CONFLICT (connection_id, principal_id, hour, unattended) DO UPDATE SET tokens = h.tokens + excluded.tokens;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- No hour is added up before two more have passed, and nearly all calls are settled within seconds.
CREATE TRIGGER ai_spend_changed AFTER UPDATE ON ai_spend FOR EACH ROW
WHEN (least(OLD.created_at, NEW.created_at) < clock_timestamp() - interval '90 minutes'
      AND (OLD.tokens, OLD.created_at, OLD.unattended) IS DISTINCT FROM (NEW.tokens, NEW.created_at, NEW.unattended))
EXECUTE FUNCTION ai_spend_changed();

-- +goose Down
DROP TRIGGER ai_spend_changed ON ai_spend;
DROP FUNCTION ai_spend_changed();
DELETE FROM sweeps WHERE name IN ('spend hours begin', 'spend hours');
DROP TABLE ai_spend_hours;
