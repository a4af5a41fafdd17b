-- name: ClaimClientRequest :one
-- Makes an attempt the one that accepts the turn of a request, unless another one is or has been; then the row stays
-- unchanged. With fresh the attempt is no retry, so the outcome of an earlier request with the same body does not
-- count.
INSERT INTO ai_client_requests AS r (key_hash, attempt_id, owner_id, body_hash) VALUES (@key_hash, @attempt_id, @owner_id, @body_hash)
ON CONFLICT (key_hash) DO UPDATE SET attempt_id = excluded.attempt_id, body_hash = excluded.body_hash, turn_id = NULL, message_id = '',
    attempts = 1, at = now()
WHERE @fresh::boolean OR r.at < now() - make_interval(secs => @window_seconds::float8)
   OR r.turn_id IS NULL AND r.at < now() - make_interval(secs => @timeout_seconds::float8)
RETURNING attempt_id;

-- name: JoinClientRequest :one
UPDATE ai_client_requests SET attempts = attempts + CASE WHEN turn_id IS NULL THEN 0 ELSE 1 END WHERE key_hash = @key_hash
RETURNING body_hash, turn_id, message_id, attempts;

-- name: FillClientRequest :execrows
UPDATE ai_client_requests SET turn_id = @turn_id::uuid, message_id = @message_id WHERE key_hash = @key_hash AND attempt_id = @attempt_id;

-- name: DropClientRequest :exec
DELETE FROM ai_client_requests WHERE key_hash = @key_hash AND attempt_id = @attempt_id AND turn_id IS NULL;

-- name: PruneClientRequests :execrows
DELETE FROM ai_client_requests WHERE at < now() - interval '48 hours';

-- name: CountClientRequests :one
SELECT count(*) FROM ai_client_requests WHERE owner_id = $1;

-- name: EraseClientRequests :execrows
DELETE FROM ai_client_requests WHERE owner_id = $1;
