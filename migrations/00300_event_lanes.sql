-- +goose Up
-- The lane of a subject. It depends on nothing but the text: PostgreSQL keeps this hash over its versions, for hash partitions.
CREATE FUNCTION event_lane(subject text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (hashtextextended(subject, 0) & 15)::smallint $$;

-- The cause of an event, as package event writes it.
ALTER TABLE events ADD COLUMN cause jsonb;

-- An inserter shares an advisory lock until its transaction ends, so that readers know which of the running transactions
-- can still make an id visible. ALTER TABLE above has waited for all that drew an id without it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_next_id() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_current_xact_id();
    PERFORM pg_advisory_xact_lock_shared(1702259054, 1);
    RETURN nextval('event_ids');
END
$$;
-- +goose StatementEnd

-- The cursors of a consumer: all events of a lane up to seen are handled, or are in event_retries. event_consumers.seen is
-- the cursor of a version before lanes; the highest number there fences that version out.
ALTER TABLE event_consumers ADD COLUMN types text[];
CREATE TABLE event_lanes (
    consumer text        NOT NULL REFERENCES event_consumers ON DELETE CASCADE,
    lane     smallint    NOT NULL,
    seen     bigint      NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (consumer, lane)
) WITH (fillfactor = 50);

-- Events that a consumer could not handle yet, and later ones of the same subject, which wait behind them. One with dead_at is
-- a dead letter: others do not wait for it. It replaces event_deferrals, which a version before lanes works off.
CREATE TABLE event_retries (
    consumer text        NOT NULL REFERENCES event_consumers ON DELETE CASCADE,
    event_id bigint      NOT NULL REFERENCES events,
    lane     smallint    NOT NULL,
    subject  text        NOT NULL,
    attempts integer     NOT NULL,
    error    text        NOT NULL,
    due_at   timestamptz NOT NULL,
    dead_at  timestamptz,
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX event_retries_subject ON event_retries (consumer, lane, subject, event_id) WHERE dead_at IS NULL;
CREATE INDEX event_retries_event ON event_retries (event_id);

-- Workflows that handlers of events asked for, until their start is confirmed.
CREATE TABLE event_dispatches (
    workflow_id text        PRIMARY KEY,
    consumer    text        NOT NULL,
    event_id    bigint      NOT NULL,
    workflow    text        NOT NULL,
    input       jsonb       NOT NULL,
    attempts    integer     NOT NULL DEFAULT 0,
    error       text        NOT NULL DEFAULT '',
    due_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX event_dispatches_due ON event_dispatches (due_at);

-- +goose Down
DROP TABLE event_dispatches, event_retries, event_lanes;
ALTER TABLE event_consumers DROP COLUMN types;
ALTER TABLE events DROP COLUMN cause;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_next_id() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_current_xact_id();
    RETURN nextval('event_ids');
END
$$;
-- +goose StatementEnd
DROP FUNCTION event_lane(text);
