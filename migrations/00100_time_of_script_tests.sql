-- +goose Up
-- A test gets as long as it can ask for. A policy that somebody has changed stays as it is.
UPDATE script_policy SET document = jsonb_set(document, '{test,timeoutMs}', '30000')
WHERE revision = 1 AND updated_by_id IS NULL AND document #> '{test,timeoutMs}' = '10000';

-- +goose Down
UPDATE script_policy SET document = jsonb_set(document, '{test,timeoutMs}', '10000')
WHERE revision = 1 AND updated_by_id IS NULL AND document #> '{test,timeoutMs}' = '30000';
