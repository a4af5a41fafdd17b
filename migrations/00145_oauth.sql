-- +goose Up
-- Programs that can ask people to act for them. Nobody has checked what one says about itself.
CREATE TABLE oauth_clients (
    id            uuid        PRIMARY KEY,
    -- Of one that has registered itself a random text, of one with a metadata document the address of the document.
    client_id     text        NOT NULL UNIQUE CHECK (length(client_id) BETWEEN 1 AND 500),
    kind          text        NOT NULL CHECK (kind IN ('registered', 'document')),
    name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    redirect_uris text[]      NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 20),
    -- SHA-256 of the token with which a registered one looks itself up.
    manage_hash   bytea       UNIQUE CHECK (length(manage_hash) = 32),
    -- When its document was read last, or when it registered.
    read_at       timestamptz NOT NULL DEFAULT now(),
    created_at    timestamptz NOT NULL DEFAULT now(),
    -- When somebody last let it act for them.
    allowed_at    timestamptz
);
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE allowed_at IS NULL;

-- What a person lets one installation of a program do. It stands behind tokens as a session stands behind a cookie: without
-- it nothing that was made from it is worth anything.
CREATE TABLE oauth_consents (
    id           uuid        PRIMARY KEY,
    user_id      uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    client       uuid        NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
    scopes       text[]      NOT NULL CHECK (cardinality(scopes) > 0),
    -- The address that its tokens are for.
    resource     text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    -- Renewed with each refresh.
    expires_at   timestamptz NOT NULL
);
CREATE INDEX oauth_consents_user ON oauth_consents (user_id);
CREATE INDEX oauth_consents_client ON oauth_consents (client);
CREATE INDEX oauth_consents_expires_at ON oauth_consents (expires_at);

-- One-time codes. A used one is kept for as long as it could come again: then the consent that came of it ends.
CREATE TABLE oauth_codes (
    -- SHA-256 of the code; the code itself is nowhere.
    hash         bytea       PRIMARY KEY CHECK (length(hash) = 32),
    user_id      uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    client       uuid        NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
    scopes       text[]      NOT NULL,
    resource     text        NOT NULL,
    redirect_uri text        NOT NULL,
    -- SHA-256 of the verifier, base64url, as PKCE's S256 has it.
    challenge    text        NOT NULL,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,
    consent_id   uuid        REFERENCES oauth_consents ON DELETE SET NULL
);
CREATE INDEX oauth_codes_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_client ON oauth_codes (client);
CREATE INDEX oauth_codes_consent ON oauth_codes (consent_id);
CREATE INDEX oauth_codes_expires_at ON oauth_codes (expires_at);

CREATE TABLE oauth_tokens (
    -- SHA-256 of the token.
    hash       bytea       PRIMARY KEY CHECK (length(hash) = 32),
    consent_id uuid        NOT NULL REFERENCES oauth_consents ON DELETE CASCADE,
    kind       text        NOT NULL CHECK (kind IN ('access', 'refresh')),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    -- When a refresh token was exchanged for the next one. Whoever sends it again has stolen it, or was stolen from.
    used_at    timestamptz
);
CREATE INDEX oauth_tokens_consent ON oauth_tokens (consent_id, kind, created_at);
CREATE INDEX oauth_tokens_expires_at ON oauth_tokens (expires_at);

-- Whether programs may register themselves.
CREATE TABLE oauth_registration (
    single     boolean     PRIMARY KEY DEFAULT true CHECK (single),
    enabled    boolean     NOT NULL DEFAULT true,
    revision   bigint      NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO oauth_registration DEFAULT VALUES;

-- +goose Down
DROP TABLE oauth_registration, oauth_tokens, oauth_codes, oauth_consents, oauth_clients;
