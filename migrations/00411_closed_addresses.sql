-- +goose Up
-- Servers of the installation, as host:port, which checks never reach: probes learn them from here. seen_at is when a process with them
-- in its settings wrote them last.
CREATE TABLE check_closed_addresses (
    address text        PRIMARY KEY CHECK (address <> ''),
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE check_closed_addresses;
