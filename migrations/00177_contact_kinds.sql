-- +goose Up
-- Telephones, chat rooms and pagers as contacts. kind says which of them email holds the address of; null is a mailbox or a user, as
-- before. The version before shows the address and takes it for that of a mailbox.
ALTER TABLE catalog_contacts ADD COLUMN kind text;
ALTER TABLE catalog_contacts ADD CONSTRAINT catalog_contacts_kind
    CHECK (kind IS NULL OR (kind IN ('phone', 'chat', 'pager') AND email IS NOT NULL)) NOT VALID;

-- +goose Down
ALTER TABLE catalog_contacts DROP COLUMN kind;
