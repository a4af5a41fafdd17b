-- +goose Up
-- Messages of automations to one user. Their deliveries are those of the notification about them.
CREATE TABLE notify_user_messages (
    id          uuid        PRIMARY KEY,
    user_id     uuid        NOT NULL,
    title       text        NOT NULL CHECK (title <> ''),
    body        text        NOT NULL,
    severity    text        NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    -- The name of the application that sent it, as it was then.
    sender_name text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX notify_user_messages_age ON notify_user_messages (created_at);

-- +goose Down
DROP TABLE notify_user_messages;
