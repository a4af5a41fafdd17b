-- +goose Up
-- Ways to reach a person, the readers of a team's chat, or those whom an escalation policy names. Nothing refers to the owner,
-- whose module removes them with it.
CREATE TABLE notify_channels (
    id            uuid        PRIMARY KEY,
    owner_kind    text        NOT NULL CHECK (owner_kind IN ('person', 'team', 'policy')),
    owner_id      uuid        NOT NULL,
    kind          text        NOT NULL CHECK (kind IN ('email', 'webhook', 'slack', 'teams', 'discord', 'ntfy', 'push')),
    -- The e-mail address of the person's account, whatever that is when a message is sent.
    is_account    boolean     NOT NULL DEFAULT false CHECK (NOT is_account OR owner_kind = 'person' AND kind = 'email'),
    name          text        NOT NULL CHECK (name <> ''),
    -- The receiver that a slow delivery may hold up: a host, or the mail server for all addresses.
    lane          text        NOT NULL CHECK (lane <> ''),
    -- What may be shown of the address: no path and no token.
    target        text        NOT NULL,
    -- The whole configuration, sealed; null for the address of an account.
    config_sealed bytea       CHECK (is_account OR config_sealed IS NOT NULL),
    is_enabled    boolean     NOT NULL DEFAULT true,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX notify_channels_owner ON notify_channels (owner_kind, owner_id, id);
CREATE UNIQUE INDEX notify_channels_account ON notify_channels (owner_id) WHERE is_account;

-- When a person wants to know of a topic by a channel. The rules of the topic '' hold for topics without rules of their own.
CREATE TABLE notify_rules (
    user_id       uuid    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    topic         text    NOT NULL,
    channel_id    uuid    NOT NULL REFERENCES notify_channels (id) ON DELETE CASCADE,
    after_seconds integer NOT NULL CHECK (after_seconds BETWEEN 0 AND 86400),
    PRIMARY KEY (user_id, topic, channel_id)
);
CREATE INDEX notify_rules_channel ON notify_rules (channel_id);

CREATE TABLE notify_people (
    user_id     uuid   PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- Such as 'mon-fri 22:00-07:00'; empty for none.
    quiet_hours text   NOT NULL DEFAULT '',
    zone        text   NOT NULL DEFAULT 'UTC',
    -- Topics that the person does not want to know of.
    off         text[] NOT NULL DEFAULT '{}',
    revision    bigint NOT NULL DEFAULT 1
);

CREATE TABLE notify_subscriptions (
    user_id    uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind       text        NOT NULL CHECK (kind IN ('system', 'group')),
    ref_id     uuid        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (kind, ref_id, user_id)
);
CREATE INDEX notify_subscriptions_user ON notify_subscriptions (user_id);

-- A notification is the fact that something is to be told; what is told is read when it is sent.
CREATE TABLE notifications (
    id         uuid        PRIMARY KEY,
    about_kind text        NOT NULL,
    about_id   uuid        NOT NULL,
    topic      text        NOT NULL,
    edge       text        NOT NULL,
    phase      text        NOT NULL CHECK (phase IN ('problem', 'recovery', 'update')),
    is_urgent  boolean     NOT NULL,
    -- Muted while all of these systems are.
    systems    uuid[]      NOT NULL DEFAULT '{}',
    -- Notifications of one group to one channel are sent together while they wait; empty for none.
    bundle     text        NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (about_kind, about_id, topic, edge)
);
CREATE INDEX notifications_age ON notifications (created_at);

-- A delivery is one message to one channel, over all of its attempts. It waits until next_at; while an attempt is under way
-- (begun_at), that is when its claim ends. A record of an attempt with an older claim is refused.
CREATE TABLE notify_deliveries (
    id              uuid        PRIMARY KEY,
    notification_id uuid        NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
    channel_id      uuid        NOT NULL,
    channel_kind    text        NOT NULL,
    -- For whom it is, when that is a person.
    person_id       uuid,
    lane            text        NOT NULL,
    state           text        NOT NULL DEFAULT 'waiting'
                    CHECK (state IN ('waiting', 'sent', 'unknown', 'failed', 'suppressed', 'stopped')),
    reason          text        NOT NULL DEFAULT '',
    -- What it waits for beside its time: a mute, quiet hours.
    held_by         text        NOT NULL DEFAULT '' CHECK (held_by IN ('', 'mute', 'quiet', 'bundle')),
    -- Why no further attempt is made, set while one is under way.
    stopped         text        NOT NULL DEFAULT '',
    attempts        integer     NOT NULL DEFAULT 0,
    claim           bigint      NOT NULL DEFAULT 0,
    begun_at        timestamptz,
    next_at         timestamptz NOT NULL,
    -- The delivery whose message told this one too.
    carried_by      uuid,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at        timestamptz,
    UNIQUE (notification_id, channel_id),
    CHECK ((state = 'waiting') = (ended_at IS NULL))
);
CREATE INDEX notify_deliveries_due ON notify_deliveries (lane, next_at) WHERE state = 'waiting';
CREATE INDEX notify_deliveries_channel ON notify_deliveries (channel_id, created_at DESC);
CREATE INDEX notify_deliveries_person ON notify_deliveries (person_id, created_at DESC) WHERE person_id IS NOT NULL;
CREATE INDEX notify_deliveries_newest ON notify_deliveries (created_at DESC, id DESC);

-- The settings of the installation: the mail server, and the keys with which browsers know its push messages.
CREATE TABLE notify_settings (
    is_only              boolean     PRIMARY KEY DEFAULT true CHECK (is_only),
    mail                 jsonb,
    mail_password_sealed bytea,
    push_public          text        NOT NULL DEFAULT '',
    push_private_sealed  bytea,
    revision             bigint      NOT NULL DEFAULT 0,
    updated_at           timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- +goose Down
DROP TABLE notify_settings;
DROP TABLE notify_deliveries;
DROP TABLE notifications;
DROP TABLE notify_subscriptions;
DROP TABLE notify_people;
DROP TABLE notify_rules;
DROP TABLE notify_channels;
