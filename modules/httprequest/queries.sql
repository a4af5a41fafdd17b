-- name: AddPlaceholder :exec
INSERT INTO secret_placeholders (hash, principal_kind, principal_id, agent_id, revision_id, tool_id, secret, expires_at)
VALUES (@hash, @principal_kind, @principal_id, @agent_id, @revision_id, @tool_id, @secret, now() + make_interval(secs => @seconds::double precision));

-- name: Placeholders :many
-- Those that are not expired, whoever they were made for.
SELECT * FROM secret_placeholders WHERE hash = ANY (@hashes::bytea[]) AND expires_at > now();

-- name: PrunePlaceholders :exec
DELETE FROM secret_placeholders WHERE expires_at < now() - interval '1 hour';

-- name: BeginRequest :execrows
INSERT INTO http_requests (principal, key, request_hash, lost_at)
VALUES (@principal, @key, @request_hash, now() + make_interval(secs => @seconds::double precision))
ON CONFLICT (principal, key) DO NOTHING;

-- name: BegunRequest :one
SELECT request_hash, answer, (lost_at < now())::boolean AS lost FROM http_requests WHERE principal = @principal AND key = @key;

-- name: FinishRequest :exec
UPDATE http_requests SET answer = @answer WHERE principal = @principal AND key = @key AND answer IS NULL;

-- name: ForgetRequest :exec
DELETE FROM http_requests WHERE principal = @principal AND key = @key AND answer IS NULL;

-- name: PruneRequests :exec
DELETE FROM http_requests WHERE begun_at < now() - interval '3 days';
