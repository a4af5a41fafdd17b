-- name: Servers :many
SELECT sqlc.embed(s),
       (SELECT count(*) FROM mcp_tools t WHERE t.server_id = s.id AND t.enabled AND t.accepted_hash = t.seen_hash)::integer AS usable,
       (SELECT count(*) FROM mcp_tools t WHERE t.server_id = s.id AND t.seen_hash IS NOT NULL AND t.accepted_hash IS DISTINCT FROM t.seen_hash)::integer AS waiting,
       EXISTS (SELECT FROM relation_tuples r WHERE r.object_type = 'mcp.server' AND r.object_id = s.id AND r.relation = 'private') AS private
FROM mcp_servers s
WHERE (sqlc.narg(id)::uuid IS NULL OR s.id = sqlc.narg(id))
  AND EXISTS (SELECT FROM access_opens('mcp.server', s.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY s.slug;

-- name: Server :one
SELECT * FROM mcp_servers WHERE id = $1;

-- name: LockServer :one
SELECT * FROM mcp_servers WHERE id = $1 FOR NO KEY UPDATE;

-- name: CountServers :one
SELECT count(*) FROM mcp_servers;

-- name: CreateServer :execrows
INSERT INTO mcp_servers (id, slug, name, address, auth, header, secret, enabled)
VALUES (@id, @slug, @name, @address, @auth, @header, @secret, @enabled)
ON CONFLICT (slug) DO NOTHING;

-- name: UpdateServer :one
UPDATE mcp_servers
SET name = @name, address = @address, auth = @auth, header = @header, secret = @secret, enabled = @enabled, revision = revision + 1, updated_at = now(),
    -- What was said at another address says nothing about this one.
    implementation = CASE WHEN address = @address THEN implementation ELSE '' END,
    protocol = CASE WHEN address = @address THEN protocol ELSE '' END,
    left_out = CASE WHEN address = @address THEN left_out ELSE '[]' END,
    refresh_error = CASE WHEN address = @address THEN refresh_error ELSE '' END,
    refreshed_at = CASE WHEN address = @address THEN refreshed_at END
WHERE id = @id
RETURNING *;

-- name: BumpServer :one
UPDATE mcp_servers SET revision = revision + 1, updated_at = now() WHERE id = $1 RETURNING *;

-- name: TouchServer :exec
UPDATE mcp_servers SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteServer :exec
DELETE FROM mcp_servers WHERE id = $1;

-- name: ServersWithSecret :many
SELECT id, name FROM mcp_servers WHERE secret = @secret ORDER BY slug;

-- name: DueServers :many
-- Those without a secret that nobody has asked for a while.
SELECT * FROM mcp_servers
WHERE enabled AND secret = '' AND (asked_at IS NULL OR asked_at < now() - make_interval(secs => @seconds::double precision))
ORDER BY asked_at NULLS FIRST
LIMIT @max_rows;

-- name: KeepAnswer :exec
-- A server is no other for what it has answered, so its revision stays.
UPDATE mcp_servers
SET implementation = @implementation, protocol = @protocol, left_out = @left_out, refresh_error = '', refreshed_at = now(), asked_at = now()
WHERE id = @id;

-- name: KeepFailure :exec
UPDATE mcp_servers SET refresh_error = @refresh_error, asked_at = now() WHERE id = @id AND address = @address;

-- name: Tools :many
SELECT * FROM mcp_tools WHERE server_id = $1 ORDER BY tool_id;

-- name: SeeTool :exec
INSERT INTO mcp_tools (server_id, name, tool_id, seen, seen_hash)
VALUES (@server_id, @name, @tool_id, @seen, @seen_hash)
ON CONFLICT (server_id, name) DO UPDATE SET seen = excluded.seen, seen_hash = excluded.seen_hash, seen_at = now();

-- name: MissTools :exec
-- What was never accepted is forgotten with its server's word; what was stays, and is offered to nobody.
UPDATE mcp_tools SET seen = NULL, seen_hash = NULL WHERE server_id = @server_id AND name <> ALL (@names::text[]) AND accepted IS NOT NULL;

-- name: ForgetTools :exec
DELETE FROM mcp_tools WHERE server_id = @server_id AND name <> ALL (@names::text[]) AND accepted IS NULL;

-- name: ForgetAllTools :exec
DELETE FROM mcp_tools WHERE server_id = $1;

-- name: SetTool :exec
-- Accepts the definition that the server gave last.
UPDATE mcp_tools
SET accepted = seen, accepted_hash = seen_hash, accepted_at = CASE WHEN accepted_hash = seen_hash THEN accepted_at ELSE now() END,
    effect = @effect, trusted = @trusted, enabled = @enabled
WHERE server_id = @server_id AND tool_id = @tool_id AND seen_hash = @seen_hash;

-- name: LiveTools :many
-- What can be called at this moment: of servers and tools that are on, as they were accepted; of servers that the caller sees, or of all.
SELECT s.id AS server_id, s.slug, s.name AS server_name, s.address, t.name, t.tool_id, t.accepted, t.accepted_hash, t.effect, t.trusted,
       count(*) OVER ()::bigint AS total
FROM mcp_tools t JOIN mcp_servers s ON s.id = t.server_id
WHERE s.enabled AND t.enabled AND t.accepted_hash = t.seen_hash
  AND (sqlc.narg(server)::uuid IS NULL OR s.id = sqlc.narg(server))
  AND (sqlc.narg(slug)::text IS NULL OR s.slug = sqlc.narg(slug))
  AND (sqlc.narg(tool)::text IS NULL OR t.tool_id = sqlc.narg(tool))
  AND (@everybody::boolean OR EXISTS (SELECT FROM access_opens('mcp.server', s.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY s.slug, t.tool_id
LIMIT @max_rows;

-- name: ServerBySlug :one
SELECT * FROM mcp_servers WHERE slug = $1;
