-- +goose Up
-- The transactional outbox. An id is drawn after the transaction has its number, so that a reader can tell which ids may
-- still become visible. subject orders: events of one subject are read in the order in which they were written.
CREATE TABLE events (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type        text        NOT NULL,
    subject     text        NOT NULL,
    context_key text        NOT NULL DEFAULT '',
    payload     jsonb       NOT NULL CHECK (jsonb_typeof(payload) = 'object'),
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX events_subject ON events (subject, id DESC);

CREATE TABLE event_cursors (
    consumer   text        PRIMARY KEY,
    seen       bigint      NOT NULL DEFAULT 0,
    moved_at   timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE event_cursors, events;
