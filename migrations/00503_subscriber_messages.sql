-- +goose Up
-- Messages of people to those who subscribe to a system or a group. Their deliveries are those of the notification about them.
CREATE TABLE notify_messages (
    id          uuid        PRIMARY KEY,
    kind        text        NOT NULL CHECK (kind IN ('system', 'group')),
    ref_id      uuid        NOT NULL,
    text        text        NOT NULL CHECK (text <> ''),
    -- The name of who sent it, as it was then.
    sender_name text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX notify_messages_age ON notify_messages (created_at);

-- +goose Down
DROP TABLE notify_messages;
