-- name: Connections :many
-- The chosen default comes first, the demo model last. Otherwise the oldest is the default: a new connection is
-- untested.
SELECT * FROM ai_connections ORDER BY is_default DESC, kind = 'demo', created_at, id;

-- name: Connection :one
SELECT * FROM ai_connections WHERE id = @id;

-- name: DefaultConnection :one
SELECT * FROM ai_connections WHERE enabled ORDER BY is_default DESC, kind = 'demo', created_at, id LIMIT 1;

-- name: LockConnection :one
SELECT * FROM ai_connections WHERE id = @id FOR UPDATE;

-- name: InsertConnection :one
INSERT INTO ai_connections (id, name, kind, base_url, api_key_sealed, default_model, available_models,
    context_window_tokens, model_family, spend_token_budget, spend_window_minutes,
    unattended_token_budget, unattended_window_minutes, disable_topical_classifier, small_call_seconds, enabled, is_default,
    input_price, output_price, cached_price,
    header_names, headers_sealed, extra_body, reasoning_effort, streaming, text_calls, first_token_seconds,
    max_tools)
VALUES (@id, @name, @kind, @base_url, @api_key_sealed, @default_model, @available_models,
    sqlc.narg(context_window_tokens), @model_family, sqlc.narg(spend_token_budget), sqlc.narg(spend_window_minutes),
    sqlc.narg(unattended_token_budget), sqlc.narg(unattended_window_minutes), @disable_topical_classifier,
    sqlc.narg(small_call_seconds), @enabled, @is_default, sqlc.narg(input_price), sqlc.narg(output_price), sqlc.narg(cached_price),
    @header_names, @headers_sealed, sqlc.narg(extra_body), sqlc.narg(reasoning_effort), @streaming, @text_calls,
    sqlc.narg(first_token_seconds), sqlc.narg(max_tools))
RETURNING *;

-- name: UpdateConnection :one
UPDATE ai_connections
SET name = @name, base_url = @base_url, api_key_sealed = @api_key_sealed, default_model = @default_model,
    available_models = @available_models, context_window_tokens = sqlc.narg(context_window_tokens),
    model_family = @model_family, spend_token_budget = sqlc.narg(spend_token_budget),
    spend_window_minutes = sqlc.narg(spend_window_minutes), unattended_token_budget = sqlc.narg(unattended_token_budget),
    unattended_window_minutes = sqlc.narg(unattended_window_minutes), disable_topical_classifier = @disable_topical_classifier,
    small_call_seconds = sqlc.narg(small_call_seconds), enabled = @enabled, is_default = @is_default, lessons = @lessons,
    figures = @figures, header_names = @header_names, headers_sealed = @headers_sealed, extra_body = sqlc.narg(extra_body),
    reasoning_effort = sqlc.narg(reasoning_effort), streaming = @streaming, text_calls = @text_calls,
    first_token_seconds = sqlc.narg(first_token_seconds), max_tools = sqlc.narg(max_tools),
    input_price = sqlc.narg(input_price), output_price = sqlc.narg(output_price),
    cached_price = sqlc.narg(cached_price), revision = revision + 1, updated_at = now(),
    -- Lessons of another server or window do not apply.
    asked_windows = CASE WHEN base_url = @base_url THEN asked_windows END,
    cut_noticed_at = CASE WHEN base_url = @base_url AND default_model = @default_model
        AND context_window_tokens IS NOT DISTINCT FROM sqlc.narg(context_window_tokens) THEN cut_noticed_at END
WHERE id = @id
RETURNING *;

-- name: RememberWindows :exec
-- The test result replaces earlier observations, also the windows that refusals have revealed.
UPDATE ai_connections SET asked_windows = @asked_windows, cut_noticed_at = NULL,
    figures = (SELECT COALESCE(jsonb_object_agg(f.key,
        CASE WHEN @asked_windows::jsonb ? f.key THEN f.value - 'windowTokens' ELSE f.value END), '{}') FROM jsonb_each(figures) f)
WHERE id = @id AND revision = @revision;

-- name: NoticeCut :exec
-- Only the first occurrence is stored.
UPDATE ai_connections SET cut_sent_tokens = @sent, cut_read_tokens = @read, cut_noticed_at = now()
WHERE id = @id AND revision = @revision AND cut_noticed_at IS NULL;

-- name: AddLessons :exec
-- Adds lessons of a provider, unless the connection was edited since. The revision stays: the connection does not change.
-- Where there are too many, the oldest go, except those of the default model.
UPDATE ai_connections
SET lessons = (
    SELECT jsonb_agg(kept.lesson ORDER BY kept.place)
    FROM (
        SELECT l.lesson, min(l.place) AS place
        FROM jsonb_array_elements(lessons || @learned::jsonb) WITH ORDINALITY AS l (lesson, place)
        GROUP BY l.lesson
        ORDER BY l.lesson ->> 'model' = default_model DESC, min(l.place) DESC
        LIMIT @most::int
    ) kept)
WHERE id = @id AND revision = @revision;

-- name: LockFigures :one
-- Keeps edits and other learners out until the transaction ends; no row for a connection that was edited since.
SELECT figures FROM ai_connections WHERE id = @id AND revision = @revision FOR UPDATE;

-- name: StoreFigures :exec
-- The revision stays: the connection does not change.
UPDATE ai_connections SET figures = @figures WHERE id = @id;

-- name: DeleteConnection :execrows
DELETE FROM ai_connections WHERE id = @id;

-- name: CountConnections :one
SELECT count(*) FROM ai_connections WHERE kind = @kind;

-- name: LockBootstrap :exec
-- Serializes processes that start together.
SELECT pg_advisory_xact_lock(hashtextextended('countersign.connection.bootstrap', 0));

-- name: LockDefault :exec
-- Serializes changes of the default, so that there is at most one.
SELECT pg_advisory_xact_lock(hashtextextended('countersign.connection.default', 0));

-- name: ClearDefault :exec
UPDATE ai_connections SET is_default = false, revision = revision + 1, updated_at = now() WHERE is_default AND id <> @id;

-- name: SetDefault :one
UPDATE ai_connections SET is_default = true, revision = revision + 1, updated_at = now() WHERE id = @id RETURNING *;

-- name: SealedConnections :many
SELECT id FROM ai_connections WHERE id > @after AND (api_key_sealed IS NOT NULL OR headers_sealed IS NOT NULL) ORDER BY id LIMIT @max;

-- name: LockKey :one
SELECT api_key_sealed, headers_sealed FROM ai_connections WHERE id = @id FOR UPDATE;

-- name: ResealKey :exec
-- The revision stays: key and headers do not change.
UPDATE ai_connections SET api_key_sealed = @api_key_sealed, headers_sealed = @headers_sealed WHERE id = @id;
