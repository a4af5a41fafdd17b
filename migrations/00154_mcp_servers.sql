-- +goose Up
-- MCP servers of others, whose tools the assistant can call. The credential is a secret of the vault, by its name.
CREATE TABLE mcp_servers (
    id             uuid        PRIMARY KEY,
    slug           text        NOT NULL CONSTRAINT mcp_servers_slug UNIQUE,
    name           text        NOT NULL,
    address        text        NOT NULL,
    auth           text        NOT NULL CHECK (auth IN ('none', 'bearer', 'header')),
    header         text        NOT NULL DEFAULT '',
    secret         text        NOT NULL DEFAULT '',
    enabled        boolean     NOT NULL DEFAULT true,
    -- What it said of itself when it was asked last, which tools of it could not be taken and why, or why it did not answer.
    implementation text        NOT NULL DEFAULT '',
    protocol       text        NOT NULL DEFAULT '',
    left_out       jsonb       NOT NULL DEFAULT '[]',
    refresh_error  text        NOT NULL DEFAULT '',
    refreshed_at   timestamptz,
    asked_at       timestamptz,
    revision       bigint      NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CHECK ((auth = 'none') = (secret = '')),
    CHECK ((auth = 'header') = (header <> ''))
);

-- Tools of such servers. seen is the definition that the server gave last, NULL when it has the tool no more; accepted is the one
-- that an administrator has read. Only a tool for which both are the same is offered to anybody.
CREATE TABLE mcp_tools (
    server_id     uuid        NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    name          text        NOT NULL,
    tool_id       text        NOT NULL,
    seen          jsonb,
    seen_hash     text,
    seen_at       timestamptz NOT NULL DEFAULT now(),
    accepted      jsonb,
    accepted_hash text,
    accepted_at   timestamptz,
    effect        text        NOT NULL DEFAULT 'mutate' CHECK (effect IN ('read', 'mutate', 'destructive')),
    trusted       boolean     NOT NULL DEFAULT false,
    enabled       boolean     NOT NULL DEFAULT true,
    PRIMARY KEY (server_id, name),
    CONSTRAINT mcp_tools_id UNIQUE (server_id, tool_id),
    CHECK ((seen IS NULL) = (seen_hash IS NULL)),
    CHECK ((accepted IS NULL) = (accepted_hash IS NULL)),
    CHECK (seen IS NOT NULL OR accepted IS NOT NULL)
);

-- +goose Down
DROP TABLE mcp_tools, mcp_servers;
