-- +goose Up
-- What the job of a heartbeat check said last; none has a row that has never called in.
CREATE TABLE check_heartbeats (
    target      integer     PRIMARY KEY REFERENCES check_targets ON DELETE CASCADE,
    at          timestamptz NOT NULL,
    failed      boolean     NOT NULL,
    message     text        NOT NULL CHECK (length(message) <= 2000),
    duration_ms bigint      NOT NULL CHECK (duration_ms >= 0)
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE check_heartbeats;
