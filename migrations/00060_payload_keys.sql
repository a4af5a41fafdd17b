-- +goose Up
-- Keys that have encrypted payloads in Temporal, so that a process without one of them does not start.
CREATE TABLE payload_keys (
    key_id        text        PRIMARY KEY CHECK (key_id ~ '^[0-9a-f]{8}$'),
    -- Sealed with the key; whoever opens it has the key and not only one with the same id.
    proof         bytea       NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE payload_keys;
