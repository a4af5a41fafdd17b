-- +goose Up

-- Failed sign-ins are counted in throttled_failures since 00055; nothing has read or written this table since.
DROP TABLE login_attempts;

-- +goose Down
CREATE TABLE login_attempts (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bucket  bytea       NOT NULL CHECK (length(bucket) = 32),
    failed  boolean     NOT NULL DEFAULT false,
    at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX login_attempts_bucket ON login_attempts (bucket, at);
CREATE INDEX login_attempts_at ON login_attempts (at);
