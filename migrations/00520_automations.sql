-- +goose Up
-- An automation: who it acts as, and which revision of its definition counts.
CREATE TABLE automations (
    id                  uuid        PRIMARY KEY,
    name                text        NOT NULL,
    name_key            text        NOT NULL,
    description         text        NOT NULL DEFAULT '',
    group_name          text        NOT NULL DEFAULT '',
    status              text        NOT NULL CHECK (status IN ('enabled', 'disabled')),
    -- The application in whose name runs act.
    run_as              uuid        NOT NULL,
    definition_revision bigint      NOT NULL,
    -- Why the product has disabled it, as a sentence; '' when a person did, or it is enabled.
    disabled_reason     text        NOT NULL DEFAULT '',
    revision            bigint      NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX automations_name ON automations (name_key);
CREATE INDEX automations_run_as ON automations (run_as);

-- Definitions as their authors wrote them. They are never changed.
CREATE TABLE automation_revisions (
    automation_id uuid        NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    revision      bigint      NOT NULL,
    -- The author's YAML, and the form that runs interpret.
    text          text        NOT NULL,
    compiled      jsonb       NOT NULL,
    run_as        uuid        NOT NULL,
    -- The person who wrote it, or made the token of the application that did.
    author_id     uuid        NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (automation_id, revision)
);

-- One row that each change of an automation touches: processes read their index of triggers again when it has.
CREATE TABLE automation_generation (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    generation bigint  NOT NULL
);
INSERT INTO automation_generation (generation) VALUES (1);

-- Schedules of the triggers of enabled automations. The row is the claim: a slot is taken by moving next_at.
CREATE TABLE automation_schedules (
    automation_id uuid        NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    trigger_id    text        NOT NULL,
    -- A change of the schedule itself begins anew, any other change leaves next_at.
    spec          text        NOT NULL,
    next_at       timestamptz,
    last_at       timestamptz,
    late          boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (automation_id, trigger_id)
);
CREATE INDEX automation_schedules_due ON automation_schedules (next_at);

-- States that have to last before their trigger fires.
CREATE TABLE automation_fors (
    automation_id uuid        NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    trigger_id    text        NOT NULL,
    context_key   text        NOT NULL,
    spec          text        NOT NULL,
    event_id      bigint      NOT NULL,
    trigger       jsonb       NOT NULL,
    cause         jsonb       NOT NULL,
    due_at        timestamptz NOT NULL,
    PRIMARY KEY (automation_id, trigger_id, context_key)
);
CREATE INDEX automation_fors_due ON automation_fors (due_at);

-- Runs, those that were skipped included.
CREATE TABLE automation_runs (
    id            uuid        PRIMARY KEY,
    automation_id uuid        NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    revision      bigint      NOT NULL,
    trigger_id    text        NOT NULL,
    -- The event that triggered it, or the slot of a schedule; both null for runs by hand.
    event_id      bigint,
    slot          timestamptz,
    context_key   text        NOT NULL DEFAULT '',
    -- {event, payload, id, subject, time} as expressions read it.
    trigger       jsonb       NOT NULL,
    cause         jsonb       NOT NULL DEFAULT '{}',
    depth         integer     NOT NULL DEFAULT 0,
    status        text        NOT NULL CHECK (status IN ('queued', 'pending', 'running', 'success', 'failed', 'cancelled', 'skipped')),
    -- Why it was skipped, failed or cancelled, as a sentence.
    reason        text        NOT NULL DEFAULT '',
    vars          jsonb       NOT NULL DEFAULT '{}',
    steps         integer     NOT NULL DEFAULT 0,
    effects       integer     NOT NULL DEFAULT 0,
    failures      integer     NOT NULL DEFAULT 0,
    -- Who ran it by hand, and the run that it repeats.
    actor_id      uuid,
    again_of      uuid,
    cancel_at     timestamptz,
    cancel_reason text        NOT NULL DEFAULT '',
    -- Until when a process has the row for what Temporal still has to hear: its start or its cancellation.
    claimed_until timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    started_at    timestamptz,
    ended_at      timestamptz
);
CREATE UNIQUE INDEX automation_runs_event ON automation_runs (automation_id, trigger_id, event_id) WHERE event_id IS NOT NULL AND again_of IS NULL;
CREATE UNIQUE INDEX automation_runs_slot ON automation_runs (automation_id, trigger_id, slot) WHERE slot IS NOT NULL AND again_of IS NULL;
CREATE INDEX automation_runs_list ON automation_runs (automation_id, id DESC);
CREATE INDEX automation_runs_open ON automation_runs (automation_id, context_key, id) WHERE status IN ('queued', 'pending', 'running');
CREATE INDEX automation_runs_pending ON automation_runs (id) WHERE status = 'pending';
CREATE INDEX automation_runs_cancelled ON automation_runs (id) WHERE status IN ('pending', 'running') AND cancel_at IS NOT NULL;
CREATE INDEX automation_runs_ended ON automation_runs (ended_at) WHERE ended_at IS NOT NULL;

-- Steps as they ran. The row is the outcome of an effect.
CREATE TABLE automation_steps (
    run_id     uuid        NOT NULL REFERENCES automation_runs (id) ON DELETE CASCADE,
    path       text        NOT NULL,
    -- Indexes of the enclosing loops, such as 3.0; '' outside of loops.
    iteration  text        NOT NULL,
    attempt    integer     NOT NULL,
    step_id    text        NOT NULL DEFAULT '',
    kind       text        NOT NULL,
    action     text        NOT NULL DEFAULT '',
    status     text        NOT NULL CHECK (status IN ('running', 'waiting', 'success', 'failed', 'unknown', 'skipped', 'cancelled')),
    -- What happened, or why not, as a sentence.
    reason     text        NOT NULL DEFAULT '',
    input      jsonb,
    output     jsonb,
    -- Set in the moment before an effect begins.
    acting     boolean     NOT NULL DEFAULT false,
    due_at     timestamptz,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at   timestamptz,
    PRIMARY KEY (run_id, path, iteration, attempt)
);

-- Values that steps pass on, the newest of each step and type.
CREATE TABLE automation_artifacts (
    run_id  uuid  NOT NULL REFERENCES automation_runs (id) ON DELETE CASCADE,
    step_id text  NOT NULL,
    type    text  NOT NULL,
    data    jsonb NOT NULL,
    PRIMARY KEY (run_id, step_id, type)
);

-- Runs that wait for an event.
CREATE TABLE automation_waits (
    run_id      uuid    NOT NULL REFERENCES automation_runs (id) ON DELETE CASCADE,
    path        text    NOT NULL,
    iteration   text    NOT NULL,
    event       text    NOT NULL,
    filter      text    NOT NULL DEFAULT '',
    -- The subject that the event has to be about; '' for any.
    context_key text    NOT NULL DEFAULT '',
    -- What came, as {event, payload, id, subject, time}; null while nothing has.
    matched     jsonb,
    -- Whether the workflow still has to hear of it, and until when a process has that.
    waking      boolean NOT NULL DEFAULT false,
    claimed_until timestamptz,
    PRIMARY KEY (run_id, path, iteration, event)
);
CREATE INDEX automation_waits_event ON automation_waits (event, context_key) WHERE matched IS NULL;
CREATE INDEX automation_waits_waking ON automation_waits (run_id) WHERE waking;

-- Those who may read automations hear of changes of them and of their runs.
-- +goose StatementBegin
CREATE FUNCTION feed_automation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        NEW := OLD;
    END IF;
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    VALUES ('rule', 'automation.automation', 'record', 'automation.automation', NEW.id::text);
    RETURN NULL;
END
$$;
CREATE FUNCTION feed_automation_run() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    VALUES ('rule', 'automation.automation', 'record', 'automation.run', NEW.id::text);
    RETURN NULL;
END
$$;
-- Processes start and wake runs when they hear of them, and by a poll.
CREATE FUNCTION automation_due() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('automation_due', '');
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON automations FOR EACH ROW EXECUTE FUNCTION feed_automation();
CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OF status ON automation_runs FOR EACH ROW EXECUTE FUNCTION feed_automation_run();
CREATE TRIGGER due AFTER INSERT OR UPDATE OF status, cancel_at ON automation_runs FOR EACH ROW
WHEN (NEW.status = 'pending' OR NEW.cancel_at IS NOT NULL AND NEW.status = 'running') EXECUTE FUNCTION automation_due();
CREATE TRIGGER due AFTER UPDATE OF waking ON automation_waits FOR EACH ROW WHEN (NEW.waking) EXECUTE FUNCTION automation_due();

-- +goose Down
DROP TABLE automation_waits;
DROP TABLE automation_artifacts;
DROP TABLE automation_steps;
DROP TABLE automation_runs;
DROP TABLE automation_fors;
DROP TABLE automation_schedules;
DROP TABLE automation_generation;
DROP TABLE automation_revisions;
DROP TABLE automations;
DROP FUNCTION automation_due();
DROP FUNCTION feed_automation_run();
DROP FUNCTION feed_automation();
