-- +goose Up
CREATE SEQUENCE event_ids;

-- An id is drawn after its transaction has a number, whoever inserts and however: a reader that knows an id and then draws a
-- number of its own knows that whatever can still appear below that id belongs to a transaction with a lower number.
-- +goose StatementBegin
CREATE FUNCTION event_next_id() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_current_xact_id();
    RETURN nextval('event_ids');
END
$$;
-- +goose StatementEnd

-- The transactional outbox. subject orders: events of one subject are read in the order in which they were written.
CREATE TABLE events (
    id          bigint      PRIMARY KEY DEFAULT event_next_id(),
    type        text        NOT NULL,
    subject     text        NOT NULL,
    context_key text        NOT NULL DEFAULT '',
    payload     jsonb       NOT NULL CHECK (jsonb_typeof(payload) = 'object'),
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX events_subject ON events (subject, id DESC);
CREATE INDEX events_type ON events (type, id DESC);
CREATE INDEX events_created ON events USING brin (created_at);

-- Who follows events: all up to seen are handled, or are among those below.
CREATE TABLE event_consumers (
    name     text        PRIMARY KEY,
    seen     bigint      NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

-- Events that a consumer could not handle yet, and later ones of the same subject, which wait behind them. One with parked_at
-- was given up: others do not wait for it.
CREATE TABLE event_deferrals (
    consumer  text        NOT NULL REFERENCES event_consumers ON DELETE CASCADE,
    event_id  bigint      NOT NULL,
    subject   text        NOT NULL,
    attempts  integer     NOT NULL,
    error     text        NOT NULL,
    due_at    timestamptz NOT NULL,
    parked_at timestamptz,
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX event_deferrals_subject ON event_deferrals (consumer, subject, event_id) WHERE parked_at IS NULL;

-- +goose Down
DROP TABLE event_deferrals, event_consumers, events;
DROP FUNCTION event_next_id();
DROP SEQUENCE event_ids;
