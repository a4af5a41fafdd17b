-- +goose Up
-- When somebody has last signed in: at first when the newest session that they still have began.
ALTER TABLE users ADD COLUMN last_sign_in_at timestamptz;
UPDATE users SET last_sign_in_at = (SELECT max(s.created_at) FROM sessions s WHERE s.user_id = users.id AND s.kind = 'sign-in');

-- People are listed by name, a page at a time, and found by parts of their names and addresses.
CREATE INDEX users_by_name ON users (lower(name), id);
CREATE INDEX users_words ON users USING gin (lower(name || ' ' || email) gin_trgm_ops);

-- The one link by which a person can set a password, as long as it is good. A newer one takes its place.
CREATE TABLE password_links (
    user_id     uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    id          uuid        NOT NULL UNIQUE,
    secret_hash bytea       NOT NULL CHECK (length(secret_hash) = 32),
    kind        text        NOT NULL CHECK (kind IN ('invite', 'reset')),
    -- Who has made it, whose rights it ends with.
    issuer_id   uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX password_links_issuer ON password_links (issuer_id);

-- +goose Down
DROP TABLE password_links;
DROP INDEX users_words;
DROP INDEX users_by_name;
ALTER TABLE users DROP COLUMN last_sign_in_at;
