-- name: BeginRequest :execrows
-- The table is named after HTTP requests, its first users.
INSERT INTO http_requests (principal, key, request_hash, lost_at)
VALUES (@principal, @key, @request_hash, now() + make_interval(secs => @seconds::double precision))
ON CONFLICT (principal, key) DO NOTHING;

-- name: FindRequest :one
SELECT request_hash, answer, (lost_at < now())::boolean AS lost FROM http_requests WHERE principal = @principal AND key = @key;

-- name: FinishRequest :exec
UPDATE http_requests SET answer = @answer WHERE principal = @principal AND key = @key AND answer IS NULL;

-- name: DeleteRequest :exec
DELETE FROM http_requests WHERE principal = @principal AND key = @key AND answer IS NULL;

-- name: PruneRequests :exec
DELETE FROM http_requests WHERE begun_at < now() - interval '3 days';
