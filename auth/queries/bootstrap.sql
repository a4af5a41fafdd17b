-- name: LockBootstrap :exec
-- Serializes processes that start together.
SELECT pg_advisory_xact_lock(hashtextextended('countersign.auth.bootstrap', 0));
