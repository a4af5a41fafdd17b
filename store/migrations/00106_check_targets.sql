-- +goose Up
-- What runs: a check for a system in an environment. Slots are phase + k * interval in milliseconds since 1970 and never
-- stored. changed is the transaction that changed the row last, by which the holder of its shard notices; scope is what
-- templates can name, with the names of the moment. A target that is not active has no slots; one that is gone is deleted once its
-- results are.
CREATE TABLE check_targets (
    id             integer  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    check_id       uuid     NOT NULL,
    system_id      uuid     NOT NULL,
    environment_id uuid,
    shard          smallint NOT NULL,
    interval_ms    integer  NOT NULL CHECK (interval_ms > 0),
    phase_ms       integer  NOT NULL CHECK (phase_ms >= 0 AND phase_ms < interval_ms),
    since_ms       bigint   NOT NULL,
    active         boolean  NOT NULL,
    gone           boolean  NOT NULL DEFAULT false,
    thresholds     jsonb    NOT NULL DEFAULT '{}',
    scope          jsonb    NOT NULL,
    changed        xid8     NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT check_targets_once UNIQUE NULLS NOT DISTINCT (check_id, system_id, environment_id)
);
CREATE INDEX check_targets_changed ON check_targets (shard, changed);
CREATE INDEX check_targets_system ON check_targets (system_id);

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

-- Who may run a shard's slots: those before claimed_to, as the epoch says. Times are those of the database's clock, in milliseconds.
CREATE TABLE check_shards (
    shard      smallint PRIMARY KEY,
    epoch      bigint   NOT NULL DEFAULT 0,
    claimed_to bigint   NOT NULL DEFAULT 0,
    owner      text     NOT NULL DEFAULT ''
) WITH (fillfactor = 20);

-- The processes that run checks, to share the shards fairly; heard_at is renewed while a process lives.
CREATE TABLE check_workers (
    id       text        PRIMARY KEY,
    heard_at timestamptz NOT NULL DEFAULT now(),
    holds    integer     NOT NULL DEFAULT 0
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

-- +goose Down
DROP TABLE check_gaps, check_workers, check_shards, check_transitions, check_system_states, check_states, check_targets;
