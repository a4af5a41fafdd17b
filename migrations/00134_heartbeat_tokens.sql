-- +goose Up
-- Which address of a heartbeat counts; a target that has no row here still has its first one. The one before counts until
-- former_until.
CREATE TABLE check_heartbeat_tokens (
    target       integer     PRIMARY KEY REFERENCES check_targets ON DELETE CASCADE,
    generation   integer     NOT NULL CHECK (generation > 0),
    former_until timestamptz NOT NULL,
    replaced_at  timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE check_heartbeat_tokens;
