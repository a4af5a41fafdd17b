-- name: Revision :one
SELECT revision FROM mcp_policy;

-- name: LockPolicy :one
SELECT revision FROM mcp_policy FOR UPDATE;

-- name: BumpRevision :one
UPDATE mcp_policy SET revision = revision + 1, updated_at = now() RETURNING revision;

-- name: Trusted :many
SELECT c.id, c.name, c.kind, c.client_id
FROM mcp_trusted_programs t
JOIN oauth_clients c ON c.id = t.client
ORDER BY c.name, c.id;

-- name: Distrust :exec
DELETE FROM mcp_trusted_programs WHERE client <> ALL (@clients::uuid[]);

-- name: Trust :exec
INSERT INTO mcp_trusted_programs (client)
SELECT id FROM oauth_clients WHERE id = ANY (@clients::uuid[])
ON CONFLICT DO NOTHING;

-- name: LockClients :many
SELECT id FROM oauth_clients WHERE id = ANY (@clients::uuid[]) FOR SHARE;

-- name: Trusts :one
SELECT EXISTS (
    SELECT 1 FROM mcp_trusted_programs t JOIN oauth_clients c ON c.id = t.client WHERE c.client_id = @client_id
);
