-- +goose Up
-- Who somebody is at an identity provider: by issuer and subject, which stay when a name or an address changes. An account
-- that was made at a sign-in there has no password: an empty hash, which fits none.
CREATE TABLE auth_identities (
    issuer     text        NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
    subject    text        NOT NULL CHECK (length(subject) BETWEEN 1 AND 500),
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

-- +goose Down
DROP TABLE auth_identities;
