-- +goose Up
-- Sources of alerts: what other products send becomes incidents. Nothing refers to systems and teams, whose deletion the module
-- follows.
CREATE TABLE intake_sources (
    id          uuid        PRIMARY KEY,
    kind        text        NOT NULL CHECK (kind IN ('alertmanager', 'grafana', 'uptime-kuma', 'cloudwatch', 'webhook')),
    name        text        NOT NULL CHECK (name <> ''),
    name_key    text        NOT NULL,
    team_id     uuid,
    is_enabled  boolean     NOT NULL,
    -- The hash of the last part of its address.
    token_hash  bytea       NOT NULL,
    -- The secret, and the one before until it ends, sealed.
    keys_sealed bytea       NOT NULL,
    -- When the secret before ends; null when there is none.
    former_until timestamptz,
    -- Which alerts are about which systems, how bad they are, and what becomes of them.
    rules       jsonb       NOT NULL,
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX intake_sources_name ON intake_sources (name_key);
CREATE UNIQUE INDEX intake_sources_token ON intake_sources (token_hash);

-- Activity of a source. Its row is the lock under which payloads of the source are taken one after another.
CREATE TABLE intake_activity (
    source_id      uuid        PRIMARY KEY REFERENCES intake_sources (id) ON DELETE CASCADE,
    received       bigint      NOT NULL DEFAULT 0,
    received_at    timestamptz,
    refused_at     timestamptz,
    refused_reason text        NOT NULL DEFAULT '',
    confirmed_at   timestamptz
);

-- Payloads as they came. The same bytes again are counted.
CREATE TABLE intake_payloads (
    id          uuid        PRIMARY KEY,
    source_id   uuid        NOT NULL REFERENCES intake_sources (id) ON DELETE CASCADE,
    digest      bytea       NOT NULL,
    body        text        NOT NULL,
    alerts      integer     NOT NULL,
    note        text        NOT NULL DEFAULT '',
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    times       bigint      NOT NULL DEFAULT 1,
    UNIQUE (source_id, digest)
);
CREATE INDEX intake_payloads_newest ON intake_payloads (source_id, last_at DESC, id DESC);
CREATE INDEX intake_payloads_age ON intake_payloads (last_at);

-- The last that is known of each alert. incident_key is the hash of its group, or of itself.
CREATE TABLE intake_alerts (
    source_id    uuid        NOT NULL REFERENCES intake_sources (id) ON DELETE CASCADE,
    incident_key text        NOT NULL,
    alert_key    text        NOT NULL,
    is_firing    boolean     NOT NULL,
    -- It orders reports of the alert, see package alert.
    at           timestamptz NOT NULL,
    ended_at     timestamptz,
    -- When it began or ceased to fire, by the clock of the database.
    turned_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    title        text        NOT NULL,
    description  text        NOT NULL,
    severity     text        NOT NULL CHECK (severity IN ('minor', 'major', 'critical')),
    labels       jsonb       NOT NULL,
    url          text        NOT NULL,
    payload_id   uuid        REFERENCES intake_payloads (id) ON DELETE SET NULL,
    PRIMARY KEY (source_id, incident_key, alert_key)
);
CREATE INDEX intake_alerts_over ON intake_alerts (seen_at) WHERE NOT is_firing;
CREATE INDEX intake_alerts_payload ON intake_alerts (payload_id);

-- The incident of a key: the last one, with what the source wrote there.
CREATE TABLE intake_incidents (
    source_id    uuid NOT NULL REFERENCES intake_sources (id) ON DELETE CASCADE,
    incident_key text NOT NULL,
    incident_id  uuid NOT NULL,
    title        text NOT NULL,
    description  text NOT NULL,
    severity     text NOT NULL,
    PRIMARY KEY (source_id, incident_key)
);
CREATE INDEX intake_incidents_incident ON intake_incidents (incident_id);

-- Effects of payloads on incidents, for its timeline. They outlive the source and the payload.
CREATE TABLE intake_receipts (
    id          uuid        PRIMARY KEY,
    incident_id uuid        NOT NULL,
    source_id   uuid        NOT NULL,
    source_name text        NOT NULL,
    payload_id  uuid        REFERENCES intake_payloads (id) ON DELETE SET NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    result      text        NOT NULL CHECK (result IN ('opened', 'updated', 'reopened', 'resolved')),
    title       text        NOT NULL,
    firing      integer     NOT NULL,
    resolved    integer     NOT NULL
);
CREATE INDEX intake_receipts_newest ON intake_receipts (incident_id, at DESC, id DESC);
CREATE INDEX intake_receipts_payload ON intake_receipts (payload_id);

CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON intake_sources FOR EACH ROW
EXECUTE FUNCTION feed_record('intake.source', 'intake.source');

-- +goose Down
DROP TABLE intake_receipts;
DROP TABLE intake_incidents;
DROP TABLE intake_alerts;
DROP TABLE intake_payloads;
DROP TABLE intake_activity;
DROP TABLE intake_sources;
