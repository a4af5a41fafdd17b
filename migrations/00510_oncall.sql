-- +goose Up
-- Who is on call when. Nothing refers to people and teams, whose deletion the module follows.
CREATE TABLE oncall_schedules (
    id              uuid        PRIMARY KEY,
    name            text        NOT NULL CHECK (name <> ''),
    name_key        text        NOT NULL,
    description     text        NOT NULL,
    team_id         uuid,
    zone            text        NOT NULL,
    -- Rotations, the ones that come first below the others.
    layers          jsonb       NOT NULL DEFAULT '[]',
    -- The address of an iCal feed, sealed since it often holds a token; null for none and for an uploaded file.
    feed_sealed     bytea,
    -- What may be shown of the address: its host.
    feed_host       text        NOT NULL DEFAULT '',
    events          jsonb       NOT NULL DEFAULT '[]',
    event_warnings  text[]      NOT NULL DEFAULT '{}',
    -- The last time at which the feed was read, and why the last attempt failed.
    feed_read_at    timestamptz,
    feed_error      text        NOT NULL DEFAULT '',
    feed_next_at    timestamptz,
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX oncall_schedules_name ON oncall_schedules (name_key);
CREATE INDEX oncall_schedules_feed ON oncall_schedules (feed_next_at) WHERE feed_sealed IS NOT NULL;

CREATE TABLE oncall_overrides (
    id          uuid        PRIMARY KEY,
    schedule_id uuid        NOT NULL REFERENCES oncall_schedules (id) ON DELETE CASCADE,
    person_id   uuid        NOT NULL,
    -- In whose place the person is on call; null for that of everybody.
    replaces_id uuid,
    starts_at   timestamptz NOT NULL,
    ends_at     timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT oncall_overrides_order CHECK (ends_at > starts_at)
);
CREATE INDEX oncall_overrides_schedule ON oncall_overrides (schedule_id, ends_at);
CREATE INDEX oncall_overrides_person ON oncall_overrides (person_id);

CREATE TABLE oncall_policies (
    id              uuid        PRIMARY KEY,
    name            text        NOT NULL CHECK (name <> ''),
    name_key        text        NOT NULL,
    description     text        NOT NULL,
    team_id         uuid,
    zone            text        NOT NULL,
    steps           jsonb       NOT NULL DEFAULT '[]',
    repeats         integer     NOT NULL DEFAULT 0,
    between_seconds integer     NOT NULL DEFAULT 300,
    -- The severities that it is for; all when empty.
    severities      text[]      NOT NULL DEFAULT '{}',
    is_default      boolean     NOT NULL DEFAULT false,
    is_enabled      boolean     NOT NULL DEFAULT true,
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX oncall_policies_name ON oncall_policies (name_key);
CREATE UNIQUE INDEX oncall_policies_default ON oncall_policies (is_default) WHERE is_default;
CREATE INDEX oncall_policies_team ON oncall_policies (team_id);

-- +goose StatementBegin
CREATE FUNCTION feed_oncall_override() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        NEW := OLD;
    END IF;
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    VALUES ('oncall.schedule', NEW.schedule_id::text, 'record', 'oncall.schedule', NEW.schedule_id::text);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON oncall_schedules FOR EACH ROW
EXECUTE FUNCTION feed_record('oncall.schedule', 'oncall.schedule');
CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON oncall_overrides FOR EACH ROW EXECUTE FUNCTION feed_oncall_override();
CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON oncall_policies FOR EACH ROW
EXECUTE FUNCTION feed_record('oncall.policy', 'oncall.policy');

-- +goose Down
DROP TABLE oncall_policies;
DROP TABLE oncall_overrides;
DROP TABLE oncall_schedules;
DROP FUNCTION feed_oncall_override();
