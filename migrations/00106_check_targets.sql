-- +goose Up
-- What runs: a check for a system in an environment. Slots are phase + k * interval in milliseconds since 1970 and never
-- stored. changed is the transaction that changed the row last, by which the holder of its shard notices; scope is what
-- templates can name, with the names of the moment. A target that is not active has no slots; one that is gone is deleted once its
-- results are. since_ms is when the slots began: a row that is inserted, that becomes active or whose slots are others begins anew.
CREATE TABLE check_targets (
    id             integer  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    check_id       uuid     NOT NULL,
    system_id      uuid     NOT NULL,
    environment_id uuid,
    shard          smallint NOT NULL,
    interval_ms    integer  NOT NULL CHECK (interval_ms > 0),
    phase_ms       integer  NOT NULL CHECK (phase_ms >= 0 AND phase_ms < interval_ms),
    since_ms       bigint   NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    active         boolean  NOT NULL,
    gone           boolean  NOT NULL DEFAULT false,
    thresholds     jsonb    NOT NULL DEFAULT '{}',
    scope          jsonb    NOT NULL,
    changed        xid8     NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT check_targets_once UNIQUE NULLS NOT DISTINCT (check_id, system_id, environment_id)
);
CREATE INDEX check_targets_shard ON check_targets (shard) WHERE NOT gone;
CREATE INDEX check_targets_changed ON check_targets (changed);
CREATE INDEX check_targets_system ON check_targets (system_id);

-- +goose StatementBegin
CREATE FUNCTION check_target_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := pg_current_xact_id();
    IF NEW.interval_ms <> OLD.interval_ms OR NEW.phase_ms <> OLD.phase_ms OR NEW.active AND NOT OLD.active THEN
        NEW.since_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    END IF;
    RETURN NEW;
END $$;

-- Over how many shards ever, a target has the same one in each process.
CREATE FUNCTION check_target_shard(check_id uuid, system_id uuid, environment_id uuid, shards integer) RETURNS smallint LANGUAGE sql IMMUTABLE AS
$$SELECT ((hashtextextended(check_id::text || system_id::text || coalesce(environment_id, '00000000-0000-0000-0000-000000000000')::text, 1) & 2147483647) % shards)::smallint$$;

-- Who holds the shard looks at once.
CREATE FUNCTION check_targets_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('countersign_checks', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER check_targets_changed BEFORE UPDATE ON check_targets FOR EACH ROW EXECUTE FUNCTION check_target_changed();
CREATE TRIGGER check_targets_notify AFTER INSERT OR UPDATE ON check_targets FOR EACH STATEMENT EXECUTE FUNCTION check_targets_notify();

-- The state of each target that has run; a steady target writes none. since_ms is when the status began, reason why it is not
-- healthy, counts what the thresholds have counted (a health.State).
CREATE TABLE check_states (
    target    integer  PRIMARY KEY REFERENCES check_targets ON DELETE CASCADE,
    status    smallint NOT NULL DEFAULT 0,
    since_ms  bigint   NOT NULL,
    last_slot bigint   NOT NULL,
    cause     smallint NOT NULL DEFAULT 0,
    reason    text     NOT NULL DEFAULT '',
    counts    bytea    NOT NULL DEFAULT ''
) WITH (fillfactor = 50);

-- Worst of its targets, kept by who writes check_states, in the same transaction and with this row locked.
CREATE TABLE check_system_states (
    system_id uuid     PRIMARY KEY,
    status    smallint NOT NULL DEFAULT 0,
    since_ms  bigint   NOT NULL,
    target    integer,
    reason    text     NOT NULL DEFAULT ''
) WITH (fillfactor = 70);

-- Changes of status, of a target (target set) or of a system as a whole.
CREATE TABLE check_transitions (
    id        bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    system_id uuid     NOT NULL,
    target    integer,
    at_ms     bigint   NOT NULL,
    before    smallint NOT NULL,
    after     smallint NOT NULL,
    reason    text     NOT NULL
);
CREATE INDEX check_transitions_system ON check_transitions (system_id, at_ms DESC);
CREATE INDEX check_transitions_target ON check_transitions (target, at_ms DESC) WHERE target IS NOT NULL;

-- Who may run a shard's slots: those before claimed_to, as the epoch says. All slots before settled_to have a result or lie in a
-- gap. Times are those of the database's clock, in milliseconds.
CREATE TABLE check_shards (
    shard      smallint PRIMARY KEY,
    epoch      bigint   NOT NULL DEFAULT 0,
    claimed_to bigint   NOT NULL DEFAULT 0,
    settled_to bigint   NOT NULL DEFAULT 0,
    taken_at   timestamptz,
    owner      text     NOT NULL DEFAULT ''
) WITH (fillfactor = 20);

-- The processes that run checks, to share the shards fairly; heard_at is renewed while a process lives.
-- flushes counts what it has committed, so that it can tell whether a commit without an answer was one.
CREATE TABLE check_workers (
    id       text        PRIMARY KEY,
    heard_at timestamptz NOT NULL DEFAULT now(),
    holds    integer     NOT NULL DEFAULT 0,
    flushes  bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 20);

-- Slots without a result, and why: taken over, overloaded, database away. from_slot and to_slot are both included.
CREATE TABLE check_gaps (
    target    integer NOT NULL,
    from_slot bigint  NOT NULL,
    to_slot   bigint  NOT NULL,
    missed    integer NOT NULL CHECK (missed > 0),
    reason    text    NOT NULL,
    PRIMARY KEY (target, from_slot)
);
CREATE INDEX check_gaps_time ON check_gaps (to_slot);

-- Runs that somebody asked for, at a slot of their own. epoch is that of the shard's holder which has begun it.
CREATE TABLE check_requests (
    target   integer     NOT NULL REFERENCES check_targets ON DELETE CASCADE,
    slot     bigint      NOT NULL,
    epoch    bigint,
    asked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (target, slot)
);
CREATE TRIGGER check_requests_notify AFTER INSERT ON check_requests FOR EACH STATEMENT EXECUTE FUNCTION check_targets_notify();

-- +goose Down
DROP TABLE check_requests, check_gaps, check_workers, check_shards, check_transitions, check_system_states, check_states, check_targets;
DROP FUNCTION check_target_changed, check_targets_notify, check_target_shard;
