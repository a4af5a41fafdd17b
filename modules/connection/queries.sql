-- name: Connections :many
-- The connections that a turn may use by default come first, the demo model last.
SELECT * FROM ai_connections ORDER BY kind = 'demo', created_at DESC, id DESC;

-- name: Connection :one
SELECT * FROM ai_connections WHERE id = @id;

-- name: DefaultConnection :one
SELECT * FROM ai_connections WHERE enabled ORDER BY kind = 'demo', created_at DESC, id DESC LIMIT 1;

-- name: LockConnection :one
SELECT * FROM ai_connections WHERE id = @id FOR UPDATE;

-- name: InsertConnection :one
INSERT INTO ai_connections (id, name, kind, base_url, api_key_sealed, default_model, available_models,
    context_window_tokens, model_family, spend_token_budget, spend_window_minutes, disable_topical_classifier, enabled)
VALUES (@id, @name, @kind, @base_url, @api_key_sealed, @default_model, @available_models,
    sqlc.narg(context_window_tokens), @model_family, sqlc.narg(spend_token_budget), sqlc.narg(spend_window_minutes),
    @disable_topical_classifier, @enabled)
RETURNING *;

-- name: UpdateConnection :one
UPDATE ai_connections
SET name = @name, base_url = @base_url, api_key_sealed = @api_key_sealed, default_model = @default_model,
    available_models = @available_models, context_window_tokens = sqlc.narg(context_window_tokens),
    model_family = @model_family, spend_token_budget = sqlc.narg(spend_token_budget),
    spend_window_minutes = sqlc.narg(spend_window_minutes), disable_topical_classifier = @disable_topical_classifier,
    enabled = @enabled, revision = revision + 1, updated_at = now()
WHERE id = @id
RETURNING *;

-- name: DeleteConnection :execrows
DELETE FROM ai_connections WHERE id = @id;

-- name: CountConnections :one
SELECT count(*) FROM ai_connections WHERE kind = @kind;

-- name: LockBootstrap :exec
-- Processes that start together take turns.
SELECT pg_advisory_xact_lock(hashtextextended('countersign.connection.bootstrap', 0));
