-- +goose Up
CREATE TABLE vault_secrets (
    id              uuid        PRIMARY KEY,
    name            text        NOT NULL CONSTRAINT vault_secrets_name UNIQUE CHECK (name ~ '^[A-Z][A-Z0-9_]{0,63}$'),
    description     text        NOT NULL CHECK (length(description) <= 500),
    -- AEAD ciphertext with the row's id as associated data. No query outside of this table's own reads it.
    value_sealed    bytea       NOT NULL CHECK (length(value_sealed) > 0),
    value_set_at    timestamptz NOT NULL DEFAULT now(),
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    updated_by_kind text        NOT NULL,
    updated_by_id   uuid        NOT NULL
);

-- Who used or changed a secret, when, and what for. It outlives the secret and never holds a value.
CREATE TABLE vault_uses (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    secret_id   uuid        NOT NULL,
    secret_name text        NOT NULL,
    revision    bigint      NOT NULL,
    action      text        NOT NULL CHECK (action IN ('create', 'replace', 'describe', 'delete', 'use')),
    actor_kind  text        NOT NULL,
    actor_id    uuid        NOT NULL,
    -- Such as the id of a script run; empty for a change.
    purpose     text        NOT NULL CHECK (length(purpose) <= 200 AND (action <> 'use' OR purpose <> ''))
);
CREATE INDEX vault_uses_secret ON vault_uses (secret_id, id DESC);
CREATE INDEX vault_uses_used ON vault_uses (secret_id, at DESC) WHERE action = 'use';

-- +goose StatementBegin
CREATE FUNCTION vault_uses_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'uses of secrets stay on record';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER vault_uses_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON vault_uses
FOR EACH STATEMENT EXECUTE FUNCTION vault_uses_stay();

-- +goose Down
DROP TABLE vault_uses, vault_secrets;
DROP FUNCTION vault_uses_stay();
