-- name: Servers :many
SELECT sqlc.embed(s),
       (SELECT count(*) FROM mcp_tools t WHERE t.server_id = s.id AND t.enabled AND t.accepted_hash = t.seen_hash)::integer AS usable,
       (SELECT count(*) FROM mcp_tools t
           WHERE t.server_id = s.id AND t.seen_hash IS NOT NULL AND t.accepted_hash IS DISTINCT FROM t.seen_hash)::integer AS waiting,
       EXISTS (SELECT FROM relation_tuples r
           WHERE r.object_type = 'mcp.server' AND r.object_id = s.id AND r.relation = 'private') AS private,
       coalesce(i.state, 'out')::text AS sign_in_state, coalesce(i.issuer, '')::text AS sign_in_issuer,
       coalesce(i.reason, '')::text AS sign_in_reason, i.signed_in_at
FROM mcp_servers s LEFT JOIN mcp_sign_ins i ON i.server_id = s.id
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
INSERT INTO mcp_servers (id, slug, name, address, auth, header, secret, client_id, issuer, scopes, enabled)
VALUES (@id, @slug, @name, @address, @auth, @header, @secret, @client_id, @issuer, @scopes, @enabled)
ON CONFLICT (slug) DO NOTHING;

-- name: UpdateServer :one
UPDATE mcp_servers
SET name = @name, address = @address, auth = @auth, header = @header, secret = @secret, client_id = @client_id,
    issuer = @issuer, scopes = @scopes,
    enabled = @enabled, revision = revision + 1, updated_at = now(),
    -- An answer from another address does not describe this server.
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
-- Lists enabled servers without a credential whose last listing is old.
SELECT * FROM mcp_servers
WHERE enabled AND auth = 'none' AND (asked_at IS NULL OR asked_at < now() - make_interval(secs => @seconds::double precision))
ORDER BY asked_at NULLS FIRST
LIMIT @max_rows;

-- name: SaveAnswer :exec
-- The revision stays: an answer does not change the server.
UPDATE mcp_servers
SET implementation = @implementation, protocol = @protocol, left_out = @left_out, refresh_error = '', refreshed_at = now(), asked_at = now()
WHERE id = @id;

-- name: SaveFailure :exec
UPDATE mcp_servers SET refresh_error = @refresh_error, asked_at = now() WHERE id = @id AND address = @address;

-- name: Tools :many
SELECT * FROM mcp_tools WHERE server_id = $1 ORDER BY tool_id;

-- name: SaveSeenTool :exec
INSERT INTO mcp_tools (server_id, name, tool_id, seen, seen_hash)
VALUES (@server_id, @name, @tool_id, @seen, @seen_hash)
ON CONFLICT (server_id, name) DO UPDATE SET seen = excluded.seen, seen_hash = excluded.seen_hash, seen_at = now();

-- name: MarkMissingTools :exec
-- Accepted tools that the server no longer lists stay, but are not offered.
UPDATE mcp_tools SET seen = NULL, seen_hash = NULL WHERE server_id = @server_id AND name <> ALL (@names::text[]) AND accepted IS NOT NULL;

-- name: DeleteMissingTools :exec
DELETE FROM mcp_tools WHERE server_id = @server_id AND name <> ALL (@names::text[]) AND accepted IS NULL;

-- name: DeleteAllTools :exec
DELETE FROM mcp_tools WHERE server_id = $1;

-- name: SaveAcceptedTool :exec
-- Accepts the current definition.
UPDATE mcp_tools
SET accepted = seen, accepted_hash = seen_hash, accepted_at = CASE WHEN accepted_hash = seen_hash THEN accepted_at ELSE now() END,
    effect = @effect, trusted = @trusted, enabled = @enabled
WHERE server_id = @server_id AND tool_id = @tool_id AND seen_hash = @seen_hash;

-- name: LiveTools :many
-- Lists the tools that can be called now: accepted and enabled, of enabled servers that the caller sees, or of all.
SELECT s.id AS server_id, s.slug, s.name AS server_name, s.address, t.name, t.tool_id, t.accepted, t.accepted_hash, t.effect, t.trusted,
       count(*) OVER ()::bigint AS total
FROM mcp_tools t JOIN mcp_servers s ON s.id = t.server_id
WHERE s.enabled AND t.enabled AND t.accepted_hash = t.seen_hash
  AND (sqlc.narg(server)::uuid IS NULL OR s.id = sqlc.narg(server))
  AND (sqlc.narg(slug)::text IS NULL OR s.slug = sqlc.narg(slug))
  AND (sqlc.narg(tool)::text IS NULL OR t.tool_id = sqlc.narg(tool))
  AND (@everybody::boolean OR EXISTS (
      SELECT FROM access_opens('mcp.server', s.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY s.slug, t.tool_id
LIMIT @max_rows;

-- name: ServerBySlug :one
SELECT * FROM mcp_servers WHERE slug = $1;

-- name: SignIn :one
-- fresh: the access token outlives a call, or has no known end. alive: it has not expired yet.
SELECT sqlc.embed(i), (i.expires_at IS NULL
    OR i.expires_at > clock_timestamp() + make_interval(secs => @seconds::double precision))::boolean AS fresh,
       (i.expires_at IS NULL OR i.expires_at > clock_timestamp())::boolean AS alive
FROM mcp_sign_ins i WHERE i.server_id = @server_id;

-- name: LockRenewal :exec
-- Serializes renewals over all processes. The row stays unlocked, for a sign-in that ends or is replaced while the
-- authorization server answers.
SELECT pg_advisory_xact_lock(hashtextextended('mcp_sign_ins/renewal/' || @id::text, 0));

-- name: LockSignIn :one
SELECT * FROM mcp_sign_ins WHERE server_id = @server_id FOR UPDATE;

-- name: SaveSignIn :exec
INSERT INTO mcp_sign_ins (server_id, connection, state, issuer, generation, expires_at, signed_in_at)
VALUES (@server_id, @connection::bytea, 'in', @issuer, 1,
    clock_timestamp() + make_interval(secs => sqlc.narg(seconds)::double precision), now())
ON CONFLICT (server_id) DO UPDATE
SET connection = excluded.connection, state = 'in', issuer = excluded.issuer, reason = '', generation = mcp_sign_ins.generation + 1,
    expires_at = excluded.expires_at, signed_in_at = excluded.signed_in_at;

-- name: SaveTokens :execrows
-- Optimistic concurrency: a sign-in that has ended or was replaced has another generation or time, and is not
-- changed.
UPDATE mcp_sign_ins
SET connection = @connection::bytea, generation = generation + 1,
    expires_at = clock_timestamp() + make_interval(secs => sqlc.narg(seconds)::double precision)
WHERE server_id = @server_id AND generation = @generation AND signed_in_at = @signed_in_at::timestamptz;

-- name: RecordRefusal :execrows
-- Clears the registration, so that the next sign-in registers the client again. A replaced sign-in is not changed.
UPDATE mcp_sign_ins SET connection = NULL, registration = NULL, state = 'again', reason = @reason,
    generation = generation + 1, expires_at = NULL
WHERE server_id = @server_id AND generation = @generation AND signed_in_at = @signed_in_at::timestamptz;

-- name: SaveRegistration :exec
INSERT INTO mcp_sign_ins (server_id, registration) VALUES (@server_id, @registration::bytea)
ON CONFLICT (server_id) DO UPDATE SET registration = excluded.registration;

-- name: DeleteSignIn :one
DELETE FROM mcp_sign_ins WHERE server_id = @server_id RETURNING *;

-- name: CreateAttempt :exec
INSERT INTO mcp_sign_in_attempts (server_id, user_id, state_hash, flow, expires_at)
VALUES (@server_id, @user_id, @state_hash, @flow, now() + make_interval(secs => @seconds::double precision))
ON CONFLICT (server_id, user_id) DO UPDATE SET state_hash = excluded.state_hash, flow = excluded.flow, expires_at = excluded.expires_at;

-- name: ConsumeAttempt :one
-- Deletes the attempt, so that an answer works once.
DELETE FROM mcp_sign_in_attempts
WHERE server_id = @server_id AND user_id = @user_id AND state_hash = @state_hash AND expires_at > now()
RETURNING flow;

-- name: DeleteAttempts :exec
DELETE FROM mcp_sign_in_attempts WHERE server_id = @server_id;

-- name: DeleteExpiredAttempts :exec
DELETE FROM mcp_sign_in_attempts WHERE expires_at <= now();

-- name: SealedSignIns :many
SELECT server_id FROM mcp_sign_ins WHERE server_id > @after ORDER BY server_id LIMIT @max_rows;

-- name: ResealSignIn :exec
UPDATE mcp_sign_ins SET registration = sqlc.narg(registration), connection = sqlc.narg(connection) WHERE server_id = @server_id;

-- name: AddIdentities :exec
-- Adds the identities of the server and its tools, for policies. Identities are never removed.
INSERT INTO tool_identities (tool_name, identity)
SELECT 'mcp.' || s.slug, @address::text FROM mcp_servers s WHERE s.id = @id
UNION
SELECT 'mcp.' || s.slug || '.' || t.tool_id, @address::text || '#' || t.name
FROM mcp_servers s JOIN mcp_tools t ON t.server_id = s.id WHERE s.id = @id
ON CONFLICT DO NOTHING;

-- name: NamesAtAddress :many
SELECT DISTINCT tool_name FROM tool_identities
WHERE tool_name = ANY (@names::text[]) AND (identity = @address::text OR starts_with(identity, @address::text || '#'));

-- name: NamesOfTool :many
-- Lists the tools of any server with this name there, and such servers. bound reports that a policy of that name
-- holds at this address, too.
SELECT n.name::text AS name, EXISTS (
    SELECT FROM tool_identities b
    WHERE b.tool_name = n.name AND b.identity IN (@address::text, @address::text || '#' || @tool::text)
)::boolean AS bound
FROM unnest(@names::text[]) AS n(name)
WHERE EXISTS (
    SELECT FROM tool_identities i
    WHERE (i.tool_name = n.name OR starts_with(i.tool_name, n.name || '.'))
      AND starts_with(i.identity, 'mcp:') AND strpos(i.identity, '#') > 0
      AND substr(i.identity, strpos(i.identity, '#') + 1) = @tool::text
);
