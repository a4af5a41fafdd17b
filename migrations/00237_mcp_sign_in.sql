-- +goose Up
-- MCP servers at which the product signs in by OAuth. client_id, issuer and scopes are what an administrator has said of it, where anything.
ALTER TABLE mcp_servers
    ADD COLUMN client_id text NOT NULL DEFAULT '',
    ADD COLUMN issuer    text NOT NULL DEFAULT '',
    ADD COLUMN scopes    text NOT NULL DEFAULT '';
ALTER TABLE mcp_servers DROP CONSTRAINT mcp_servers_auth_check, DROP CONSTRAINT mcp_servers_check;
ALTER TABLE mcp_servers
    ADD CONSTRAINT mcp_servers_auth_check CHECK (auth IN ('none', 'bearer', 'header', 'oauth')),
    ADD CONSTRAINT mcp_servers_check CHECK (auth = 'oauth' OR (auth = 'none') = (secret = ''));

-- What such a server has given. registration is a client that the product has registered there by itself, connection the tokens and where they are
-- renewed: both are sealed, for the row that they lie in.
CREATE TABLE mcp_sign_ins (
    server_id    uuid        PRIMARY KEY REFERENCES mcp_servers ON DELETE CASCADE,
    registration bytea,
    connection   bytea,
    -- again: the tokens are refused, and are gone.
    state        text        NOT NULL DEFAULT 'out' CHECK (state IN ('out', 'in', 'again')),
    issuer       text        NOT NULL DEFAULT '',
    reason       text        NOT NULL DEFAULT '',
    -- Another number with each pair of tokens.
    generation   bigint      NOT NULL DEFAULT 0,
    -- NULL when the access token does not say when it ends.
    expires_at   timestamptz,
    signed_in_at timestamptz,
    CHECK ((state = 'in') = (connection IS NOT NULL))
);

-- Sign-ins that have begun and not come back: one of a person at a server. flow is sealed.
CREATE TABLE mcp_sign_in_attempts (
    server_id  uuid        NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    user_id    uuid        NOT NULL,
    state_hash bytea       NOT NULL CHECK (length(state_hash) = 32),
    flow       bytea       NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (server_id, user_id)
);

-- +goose Down
DROP TABLE mcp_sign_in_attempts, mcp_sign_ins;
-- The version before has no way to sign in there.
UPDATE mcp_servers SET auth = 'none', secret = '', enabled = false WHERE auth = 'oauth';
ALTER TABLE mcp_servers DROP CONSTRAINT mcp_servers_auth_check, DROP CONSTRAINT mcp_servers_check;
ALTER TABLE mcp_servers
    ADD CONSTRAINT mcp_servers_auth_check CHECK (auth IN ('none', 'bearer', 'header')),
    ADD CONSTRAINT mcp_servers_check CHECK ((auth = 'none') = (secret = '')),
    DROP COLUMN client_id, DROP COLUMN issuer, DROP COLUMN scopes;
