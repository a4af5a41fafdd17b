-- +goose Up
-- How far the verification of the whole chain has come, which goes on where it has stopped: the last link that was found sound, whether
-- that is the end of the chain, and up to which call the calls were compared. It is no evidence either.
ALTER TABLE ai_audit_state
    ADD COLUMN pass_seq    bigint  NOT NULL DEFAULT 0,
    ADD COLUMN pass_hash   bytea   NOT NULL DEFAULT '',
    ADD COLUMN pass_linked boolean NOT NULL DEFAULT false,
    ADD COLUMN pass_record bigint  NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE ai_audit_state DROP COLUMN pass_seq, DROP COLUMN pass_hash, DROP COLUMN pass_linked, DROP COLUMN pass_record;
