-- +goose Up
-- The people with whom the owner of a conversation shares it, to read. What they see of it is decided each time they look.
CREATE TABLE ai_shares (
    conversation_id uuid        NOT NULL REFERENCES ai_conversations ON DELETE CASCADE,
    person_id       uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, person_id)
);
CREATE INDEX ai_shares_person ON ai_shares (person_id, created_at, conversation_id);

-- +goose StatementBegin
CREATE FUNCTION feed_share() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (OLD.person_id, 'conversation', OLD.conversation_id::text);
    ELSE
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (NEW.person_id, 'conversation', NEW.conversation_id::text);
    END IF;
    RETURN NULL;
END
$$;
-- As before, and those with whom it is shared.
CREATE OR REPLACE FUNCTION feed_turn() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (person_id, kind, ref)
    SELECT NEW.principal_id, 'conversation', NEW.conversation_id::text
    UNION ALL SELECT s.person_id, 'conversation', NEW.conversation_id::text FROM public.ai_shares s WHERE s.conversation_id = NEW.conversation_id;
    RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION feed_conversation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (OLD.owner_id, 'conversation', OLD.id::text);
    ELSE
        INSERT INTO public.feed_events (person_id, kind, ref)
        SELECT NEW.owner_id, 'conversation', NEW.id::text
        UNION ALL SELECT s.person_id, 'conversation', NEW.id::text FROM public.ai_shares s WHERE s.conversation_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_share AFTER INSERT OR DELETE ON ai_shares FOR EACH ROW EXECUTE FUNCTION feed_share();

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION feed_turn() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (person_id, kind, ref) VALUES (NEW.principal_id, 'conversation', NEW.conversation_id::text);
    RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION feed_conversation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (OLD.owner_id, 'conversation', OLD.id::text);
    ELSE
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (NEW.owner_id, 'conversation', NEW.id::text);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
DROP TABLE ai_shares;
DROP FUNCTION feed_share();
