-- name: Secrets :many
-- A secret that was never used counts as used at the epoch.
SELECT s.id, s.name, s.description, s.value_set_at, s.revision, s.created_at, s.updated_at,
       coalesce((SELECT max(u.at) FROM vault_uses u WHERE u.secret_id = s.id AND u.action = 'use'), 'epoch')::timestamptz AS used_at
FROM vault_secrets s WHERE s.name > @after ORDER BY s.name LIMIT @max_rows::integer;

-- name: Secret :one
SELECT s.id, s.name, s.description, s.value_set_at, s.revision, s.created_at, s.updated_at,
       coalesce((SELECT max(u.at) FROM vault_uses u WHERE u.secret_id = s.id AND u.action = 'use'), 'epoch')::timestamptz AS used_at
FROM vault_secrets s WHERE s.name = @name;

-- name: CountSecrets :one
SELECT count(*) FROM vault_secrets;

-- name: LockSecret :one
SELECT id, name, description, revision FROM vault_secrets WHERE name = @name FOR UPDATE;

-- name: InsertSecret :exec
INSERT INTO vault_secrets (id, name, description, value_sealed, updated_by_kind, updated_by_id)
VALUES (@id, @name, @description, @value_sealed, @updated_by_kind, @updated_by_id);

-- name: DescribeSecret :exec
UPDATE vault_secrets
SET description = @description, revision = revision + 1, updated_at = now(), updated_by_kind = @updated_by_kind,
    updated_by_id = @updated_by_id
WHERE id = @id;

-- name: ReplaceSecret :exec
UPDATE vault_secrets
SET description = @description, value_sealed = @value_sealed, value_set_at = now(), revision = revision + 1, updated_at = now(),
    updated_by_kind = @updated_by_kind, updated_by_id = @updated_by_id
WHERE id = @id;

-- name: DeleteSecret :exec
DELETE FROM vault_secrets WHERE id = @id;

-- name: KnownSecrets :many
SELECT name FROM vault_secrets WHERE name = ANY(@names::text[]);

-- name: SealedSecrets :many
-- The lock keeps a value from being replaced between its audit row and its use.
SELECT id, name, revision, value_sealed FROM vault_secrets WHERE name = ANY(@names::text[]) ORDER BY name FOR SHARE;

-- name: RecordUse :exec
INSERT INTO vault_uses (secret_id, secret_name, revision, action, actor_kind, actor_id, purpose)
VALUES (@secret_id, @secret_name, @revision, @action, @actor_kind, @actor_id, @purpose);

-- name: Uses :many
SELECT * FROM vault_uses WHERE secret_id = @secret_id ORDER BY id DESC LIMIT @max;

-- name: SecretsAfter :many
SELECT id FROM vault_secrets WHERE id > @after ORDER BY id LIMIT @max;

-- name: LockSealed :one
SELECT value_sealed FROM vault_secrets WHERE id = @id FOR UPDATE;

-- name: Reseal :exec
-- The value stays the same, so the revision does too.
UPDATE vault_secrets SET value_sealed = @value_sealed WHERE id = @id;

-- name: Revision :one
-- The revision changes when a secret is created, replaced or deleted.
SELECT format('%s/%s/%s', count(*), coalesce(sum(revision), 0), coalesce(max(updated_at), 'epoch'))::text AS revision FROM vault_secrets;
