-- +goose Up
-- What chat programs ask for their own sake, such as titles, has a purpose of its own. Rows that are there have one of the others.
ALTER TABLE ai_spend DROP CONSTRAINT ai_spend_purpose_check,
    ADD CONSTRAINT ai_spend_purpose_check CHECK (purpose IN ('answer', 'title', 'classifier', 'summary', 'check', 'task')) NOT VALID;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_spend_caller(purpose text, kind text, unattended boolean, turn uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN purpose = 'check' THEN 'check'
        WHEN kind = 'application' THEN 'application'
        WHEN unattended THEN 'automation'
        WHEN purpose = 'task' THEN 'client'
        WHEN EXISTS (SELECT 1 FROM public.ai_turns t JOIN public.ai_conversations c ON c.id = t.conversation_id
                     WHERE t.id = turn AND c.client_id IS NOT NULL) THEN 'client'
        ELSE 'chat' END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_spend_caller(purpose text, kind text, unattended boolean, turn uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN purpose = 'check' THEN 'check'
        WHEN kind = 'application' THEN 'application'
        WHEN unattended THEN 'automation'
        WHEN EXISTS (SELECT 1 FROM public.ai_turns t JOIN public.ai_conversations c ON c.id = t.conversation_id
                     WHERE t.id = turn AND c.client_id IS NOT NULL) THEN 'client'
        ELSE 'chat' END
$$;
-- +goose StatementEnd
DELETE FROM ai_spend WHERE purpose = 'task';
ALTER TABLE ai_spend DROP CONSTRAINT ai_spend_purpose_check,
    ADD CONSTRAINT ai_spend_purpose_check CHECK (purpose IN ('answer', 'title', 'classifier', 'summary', 'check')) NOT VALID;
