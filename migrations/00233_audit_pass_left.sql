-- +goose Up
-- How far the verification of the whole has come in what a removal of entries has not taken yet, from where the chain begins to where it goes to: one that was
-- interrupted leaves that, and it is verified beside what comes after it. Processes of the version before leave both as they are.
ALTER TABLE ai_audit_state
    ADD COLUMN pass_left_seq  bigint NOT NULL DEFAULT 0,
    ADD COLUMN pass_left_hash bytea  NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE ai_audit_state DROP COLUMN pass_left_seq, DROP COLUMN pass_left_hash;
