-- name: BroadcastCancellations :one
SELECT count(pg_notify('mcp_cancelled', request)) FROM unnest(@requests::text[]) AS request;
