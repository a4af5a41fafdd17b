-- name: LockBootstrap :exec
-- Processes that start together take turns.
SELECT pg_advisory_xact_lock(hashtextextended('countersign.auth.bootstrap', 0));
