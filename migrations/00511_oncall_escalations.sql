-- +goose Up
-- What becomes of an incident until a person takes it on. The row is the truth: its workflow reads it whenever it wakes.
CREATE TABLE oncall_escalations (
    incident_id uuid        PRIMARY KEY,
    -- How often the incident was opened or reopened; a workflow of an earlier opening ends.
    opening     integer     NOT NULL DEFAULT 1,
    -- Counts openings and changes of the policy, so that steps of two policies are two calls.
    run         integer     NOT NULL DEFAULT 1,
    workflow_id text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('waiting', 'acknowledged', 'resolved', 'exhausted', 'gone')),
    -- What a waiting one waits for beside its time, or why it ended, as a sentence.
    reason      text        NOT NULL DEFAULT '',
    policy_id   uuid,
    -- The step that is not taken yet, counted from 0.
    round       integer     NOT NULL DEFAULT 0,
    step        integer     NOT NULL DEFAULT 0,
    began_at    timestamptz NOT NULL,
    -- When the step before was taken, or the policy began.
    last_at     timestamptz NOT NULL,
    -- When the next step is due; null while that is not known.
    due_at      timestamptz,
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX oncall_escalations_policy ON oncall_escalations (policy_id) WHERE state = 'waiting';
CREATE INDEX oncall_escalations_due ON oncall_escalations (due_at) WHERE state = 'waiting';

-- The steps that were taken.
CREATE TABLE oncall_calls (
    incident_id uuid        NOT NULL REFERENCES oncall_escalations (incident_id) ON DELETE CASCADE,
    run         integer     NOT NULL,
    round       integer     NOT NULL,
    step        integer     NOT NULL,
    policy_id   uuid        NOT NULL,
    policy_name text        NOT NULL,
    due_at      timestamptz NOT NULL,
    taken_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    people      uuid[]      NOT NULL,
    -- How many messages the step has added, and how many of its targets have no channel.
    messages    integer     NOT NULL,
    unreached   integer     NOT NULL,
    PRIMARY KEY (incident_id, run, round, step)
);
CREATE INDEX oncall_calls_people ON oncall_calls USING gin (people);

-- An escalation is told to those who may see its incident.
-- +goose StatementBegin
CREATE FUNCTION feed_oncall_escalation() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        NEW := OLD;
    END IF;
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    VALUES ('incident.incident', NEW.incident_id::text, 'record', 'incident.incident', NEW.incident_id::text);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON oncall_escalations FOR EACH ROW
EXECUTE FUNCTION feed_oncall_escalation();

-- +goose Down
DROP TABLE oncall_calls;
DROP TABLE oncall_escalations;
DROP FUNCTION feed_oncall_escalation();
