-- +goose Up
-- Which connected programs may decide for the people who have connected them, within bounds that stand in package mcp/endpoint.
CREATE TABLE mcp_policy (
    one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
    revision   bigint      NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO mcp_policy DEFAULT VALUES;

-- A program that is forgotten is not trusted any more, whoever comes by its name.
CREATE TABLE mcp_trusted_programs (
    client uuid PRIMARY KEY REFERENCES oauth_clients ON DELETE CASCADE
);

-- +goose Down
DROP TABLE mcp_trusted_programs, mcp_policy;
