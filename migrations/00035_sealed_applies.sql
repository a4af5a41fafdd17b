-- +goose Up
ALTER TABLE ai_proposals
    -- A keyed hash of what was proposed, and from the decision on also of who decided: what is altered in the database
    -- is not applied. Null for proposals of earlier versions, which are not applied either.
    ADD COLUMN seal bytea,
    -- Counts the attempts to carry the change out. Only the last one may record how it went.
    ADD COLUMN apply_attempts integer NOT NULL DEFAULT 0;
-- Whether the write was that of a proposal. Nobody outside can make such a row.
ALTER TABLE idempotency_keys ADD COLUMN applied boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE idempotency_keys DROP COLUMN applied;
ALTER TABLE ai_proposals DROP COLUMN seal, DROP COLUMN apply_attempts;
