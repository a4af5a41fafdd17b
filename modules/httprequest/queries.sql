-- name: AddPlaceholder :exec
INSERT INTO secret_placeholders (hash, principal_kind, principal_id, agent_id, revision_id, tool_id, secret, expires_at)
VALUES (@hash, @principal_kind, @principal_id, @agent_id, @revision_id, @tool_id, @secret,
    now() + make_interval(secs => @seconds::double precision));

-- name: Placeholders :many
-- Unexpired placeholders of any principal.
SELECT * FROM secret_placeholders WHERE hash = ANY (@hashes::bytea[]) AND expires_at > now();

-- name: PrunePlaceholders :exec
DELETE FROM secret_placeholders WHERE expires_at < now() - interval '1 hour';
