-- +goose Up
-- What a freeze that ran out of time has found in order, by the hash of all that it was about, so that the next one goes on behind it.
CREATE TABLE agent_trials (
    revision_id uuid        NOT NULL REFERENCES agent_revisions ON DELETE CASCADE,
    hash        bytea       NOT NULL CHECK (octet_length(hash) = 32),
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (revision_id, hash)
);

-- +goose Down
DROP TABLE agent_trials;
