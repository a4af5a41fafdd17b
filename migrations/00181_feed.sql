-- +goose Up
-- What has changed lately, for the pages that show it: what kind of thing, which one, and who may hear of it. It holds ids and no text
-- that somebody wrote. It is not logged: after a crash of the database it is empty, feed_state too, and everybody reads everything again.
CREATE UNLOGGED TABLE feed_events (
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Readers take what their last look could not see yet, whatever the order in which transactions end.
    xact      xid8        NOT NULL DEFAULT pg_current_xact_id(),
    -- Who hears of it in any case.
    person_id uuid,
    -- Who else: nobody (null), whoever may see a proposal ('proposal') or an object of a type ('catalog.system'), or holds one of two rules ('rule').
    sight     text,
    sight_ref text,
    -- What is told.
    kind      text        NOT NULL CHECK (kind IN ('conversation', 'proposal', 'record')),
    type      text,
    ref       text        NOT NULL,
    CHECK (sight IS NOT NULL OR person_id IS NOT NULL),
    CHECK ((sight IS NULL) = (sight_ref IS NULL)),
    CHECK ((kind = 'record') = (type IS NOT NULL))
);
CREATE INDEX feed_events_xact ON feed_events (xact);
CREATE INDEX feed_events_at ON feed_events (at);

-- Since when nothing is missing.
CREATE UNLOGGED TABLE feed_state (
    one   boolean     PRIMARY KEY DEFAULT true CHECK (one),
    since timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- +goose StatementBegin
CREATE FUNCTION feed_turn() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (person_id, kind, ref) VALUES (NEW.principal_id, 'conversation', NEW.conversation_id::text);
    RETURN NULL;
END
$$;
CREATE FUNCTION feed_conversation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (OLD.owner_id, 'conversation', OLD.id::text);
    ELSE
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (NEW.owner_id, 'conversation', NEW.id::text);
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION feed_proposal() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (person_id, sight, sight_ref, kind, ref)
    VALUES (NEW.principal_id, 'proposal', NEW.id::text, 'proposal', NEW.id::text);
    RETURN NULL;
END
$$;
-- What the audit log says of an object. Whoever sees it hears of it; of one that has gone, nobody could say who did: where all who hold a
-- rule see all there are, they hear of it, and the triggers below tell of the others.
CREATE FUNCTION feed_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.action <> 'deleted' THEN
        INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
        VALUES (NEW.object_type, NEW.object_id, 'record', NEW.object_type, NEW.object_id);
    ELSIF NEW.object_type IN ('ai.skill', 'auth.team') THEN
        INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
        VALUES ('rule', CASE NEW.object_type WHEN 'auth.team' THEN 'auth.teams' ELSE NEW.object_type END, 'record', NEW.object_type, NEW.object_id);
    END IF;
    RETURN NULL;
END
$$;
-- A record of the catalog goes, with its grants after it: those hear of it who could see it until now.
CREATE FUNCTION feed_gone() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    gone text := TG_ARGV[0];
BEGIN
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    SELECT 'rule', gone, 'record', gone, OLD.id::text
    WHERE NOT EXISTS (SELECT FROM public.relation_tuples r WHERE r.object_type = gone AND r.object_id = OLD.id AND r.relation = 'private');
    INSERT INTO public.feed_events (person_id, kind, type, ref)
    SELECT DISTINCT CASE r.subject_type WHEN 'user' THEN r.subject_id ELSE m.user_id END, 'record', gone, OLD.id::text
    FROM public.relation_tuples r LEFT JOIN public.team_members m ON r.subject_type = 'team' AND m.team_id = r.subject_id
    WHERE r.object_type = gone AND r.object_id = OLD.id AND (r.subject_type = 'user' OR m.user_id IS NOT NULL);
    RETURN NULL;
END
$$;
-- A memory goes: its owner hears of it, and of one that is shared on a system whoever sees that.
CREATE FUNCTION feed_memory_gone() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (person_id, sight, sight_ref, kind, type, ref)
    VALUES (OLD.owner_id, CASE WHEN OLD.scope = 'system' AND OLD.system_id IS NOT NULL THEN 'catalog.system' END,
            CASE WHEN OLD.scope = 'system' THEN OLD.system_id::text END, 'record', 'ai.memory', OLD.id::text);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION feed_memory_gone(), feed_gone(), feed_change(), feed_proposal(), feed_conversation(), feed_turn();
DROP TABLE feed_state, feed_events;
