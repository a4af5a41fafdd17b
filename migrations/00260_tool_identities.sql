-- +goose Up
-- What tools of MCP servers and custom tools are, by the names that policies know them by: an address with the server's name of the tool,
-- or the hash of a source. A policy holds for every name with the same identity. Rows stay when a server or an agent is deleted.
CREATE TABLE tool_identities (
    tool_name text COLLATE "C" NOT NULL,
    identity  text COLLATE "C" NOT NULL,
    PRIMARY KEY (tool_name, identity)
);
CREATE INDEX tool_identities_identity ON tool_identities (identity);

INSERT INTO tool_identities (tool_name, identity)
SELECT 'mcp.' || s.slug, a.identity
FROM mcp_servers s
CROSS JOIN LATERAL (SELECT 'mcp:' || rtrim(regexp_replace(regexp_replace(lower(s.address), '^https?://', ''), ':(80|443)(/|$)', '\2'), '/') AS identity) a
UNION
SELECT 'mcp.' || s.slug || '.' || t.tool_id, a.identity || '#' || t.name
FROM mcp_servers s
JOIN mcp_tools t ON t.server_id = s.id
CROSS JOIN LATERAL (SELECT 'mcp:' || rtrim(regexp_replace(regexp_replace(lower(s.address), '^https?://', ''), ':(80|443)(/|$)', '\2'), '/') AS identity) a
UNION
SELECT 'agent.' || a.name_key, 'agents:' || t.source_sha256
FROM agents a JOIN agent_revisions r ON r.agent_id = a.id JOIN agent_tools t ON t.revision_id = r.id WHERE r.promoted_at IS NOT NULL
UNION
SELECT 'agent.' || a.name_key || '.' || t.id, 'agent:' || t.source_sha256
FROM agents a JOIN agent_revisions r ON r.agent_id = a.id JOIN agent_tools t ON t.revision_id = r.id WHERE r.promoted_at IS NOT NULL;

-- +goose Down
DROP TABLE tool_identities;
