-- name: LockIdempotencyKey :exec
SELECT pg_advisory_xact_lock(hashtextextended(@key::text, 1));

-- name: IdempotentAnswer :one
SELECT request_hash, status, headers, body, applied FROM idempotency_keys WHERE principal = $1 AND key = $2;

-- name: KeepIdempotentAnswer :exec
INSERT INTO idempotency_keys (principal, key, request_hash, status, headers, body, applied) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: PruneIdempotencyKeys :execrows
DELETE FROM idempotency_keys WHERE created_at < now() - interval '48 hours';

-- name: CountIdempotentAnswers :one
SELECT count(*) FROM idempotency_keys WHERE principal = $1;

-- name: EraseIdempotentAnswers :execrows
DELETE FROM idempotency_keys WHERE principal = $1;
