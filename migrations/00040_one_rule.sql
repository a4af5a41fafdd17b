-- +goose Up
-- Who made the token of an application: that person cannot be the second one for what it proposes. It is not known of
-- tokens from before.
ALTER TABLE applications ADD COLUMN issuer_id uuid;

ALTER TABLE ai_proposals
    -- What happens beside the change itself.
    ADD COLUMN effects         text[] NOT NULL DEFAULT '{}',
    -- Why the proposer wants it, and why it was decided as it was.
    ADD COLUMN reason          text   NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
    ADD COLUMN decision_reason text   NOT NULL DEFAULT '' CHECK (length(decision_reason) <= 500),
    -- Who made the token of the application that proposed it.
    ADD COLUMN issuer_id       uuid;
-- The second person is another one than whoever stands behind an application, whatever the code says. What was applied
-- before is as it was.
ALTER TABLE ai_proposals ADD CONSTRAINT ai_proposals_issuer_check
    CHECK (NOT two_person OR status NOT IN ('applying', 'applied') OR issuer_id IS NULL OR decided_by_id <> issuer_id);

-- +goose Down
ALTER TABLE ai_proposals
    DROP CONSTRAINT ai_proposals_issuer_check,
    DROP COLUMN effects,
    DROP COLUMN reason,
    DROP COLUMN decision_reason,
    DROP COLUMN issuer_id;
ALTER TABLE applications DROP COLUMN issuer_id;
