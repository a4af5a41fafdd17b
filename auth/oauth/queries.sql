-- name: Client :one
-- fresh reports that the metadata document was read recently; a registered client does not change.
SELECT c.id, c.client_id, c.kind, c.name, c.redirect_uris,
       (c.kind = 'registered' OR c.read_at > now() - make_interval(secs => @fresh_seconds::float8))::boolean AS fresh
FROM oauth_clients c WHERE c.client_id = @client_id;

-- name: Register :one
INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris, manage_hash)
VALUES (@id, @client_id, 'registered', @name, @redirect_uris, @manage_hash)
RETURNING created_at;

-- name: ManagedClient :one
SELECT id, client_id, name, redirect_uris, created_at FROM oauth_clients WHERE client_id = @client_id AND manage_hash = @manage_hash;

-- name: DeleteClient :execrows
DELETE FROM oauth_clients WHERE id = @id;

-- name: ClientByID :one
SELECT id, client_id, kind, name, redirect_uris FROM oauth_clients WHERE id = @id;

-- name: KeepDocument :one
INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris)
VALUES (@id, @client_id, 'document', @name, @redirect_uris)
ON CONFLICT (client_id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris, read_at = now()
RETURNING id, client_id, kind, name, redirect_uris;

-- name: DeleteFurtherClients :execrows
-- Keeps the newest clients without a consent.
DELETE FROM oauth_clients c
WHERE c.id IN (SELECT o.id FROM oauth_clients o WHERE o.allowed_at IS NULL ORDER BY o.created_at DESC, o.id OFFSET @most::bigint)
  AND c.allowed_at IS NULL;

-- name: DeleteUnusedClients :execrows
DELETE FROM oauth_clients c
WHERE coalesce(c.allowed_at + make_interval(secs => @kept_seconds::float8),
    c.created_at + make_interval(secs => @unused_seconds::float8)) < now()
  AND NOT EXISTS (SELECT FROM oauth_consents o WHERE o.client = c.id)
  AND NOT EXISTS (SELECT FROM oauth_codes o WHERE o.client = c.id);

-- name: AllowClient :execrows
UPDATE oauth_clients SET allowed_at = now() WHERE id = @id;

-- name: LockPerson :exec
-- Locks how the person signs in until the end of the transaction, and so the revocation of their programs.
SELECT id FROM users WHERE id = @id FOR KEY SHARE;

-- name: LockPersonOfCode :exec
SELECT u.id FROM users u WHERE u.id = (SELECT o.user_id FROM oauth_codes o WHERE o.hash = @hash) FOR KEY SHARE;

-- name: InsertCode :execrows
-- Runs after LockPerson: a session that was revoked while it waited authorizes no program.
INSERT INTO oauth_codes (hash, user_id, client, scopes, resource, redirect_uri, challenge, expires_at)
SELECT @hash::bytea, s.user_id, @client::uuid, @scopes::text[], @resource::text, @redirect_uri::text, @challenge::text,
       now() + make_interval(secs => @lifetime_seconds::float8)
FROM sessions s
WHERE s.id = @session_id AND s.user_id = @user_id AND s.kind = 'sign-in' AND s.expires_at > now();

-- name: UseCode :one
-- The first use of a code gets fresh; others get the outcome of the first.
WITH taken AS (
    SELECT o.hash, o.user_id, o.client, o.scopes, o.resource, o.redirect_uri, o.challenge, o.expires_at, o.used_at, o.consent_id
    FROM oauth_codes o WHERE o.hash = @hash FOR UPDATE
), used AS (
    UPDATE oauth_codes c SET used_at = now() FROM taken t WHERE c.hash = t.hash AND t.used_at IS NULL
)
SELECT t.user_id, t.client, t.scopes, t.resource, t.redirect_uri, t.challenge, t.consent_id, c.client_id,
       c.name AS client_name, u.name AS user_name,
       (t.used_at IS NULL)::boolean AS fresh,
       (t.expires_at > now() AND NOT u.disabled AND NOT u.must_change_password)::boolean AS good
FROM taken t JOIN oauth_clients c ON c.id = t.client JOIN users u ON u.id = t.user_id;

-- name: NoteConsentOfCode :exec
UPDATE oauth_codes SET consent_id = @consent_id::uuid WHERE hash = @hash;

-- name: LockConsents :exec
-- Serializes new consents of a person, so that their number stays bounded.
SELECT pg_advisory_xact_lock(hashtextextended(@person::text, 0));

-- name: InsertConsent :exec
INSERT INTO oauth_consents (id, user_id, client, scopes, resource, expires_at)
VALUES (@id, @user_id, @client, @scopes, @resource, now() + make_interval(secs => @lifetime_seconds::float8));

-- name: DeleteFurtherConsents :execrows
-- Keeps the most recently used consents of a person.
DELETE FROM oauth_consents c
WHERE c.id IN (
    SELECT o.id FROM oauth_consents o WHERE o.user_id = @user_id
    ORDER BY coalesce(o.last_used_at, o.created_at) DESC, o.id OFFSET @most::bigint);

-- name: Consent :one
SELECT o.id, o.user_id, u.name AS user_name, o.client, c.client_id, c.kind, c.name AS client_name, o.scopes,
       o.resource, o.created_at, o.last_used_at, o.expires_at
FROM oauth_consents o JOIN oauth_clients c ON c.id = o.client JOIN users u ON u.id = o.user_id
WHERE o.id = @id;

-- name: Consents :many
-- Newest first; of one person or of all.
SELECT o.id, o.user_id, u.name AS user_name, o.client, c.client_id, c.kind, c.name AS client_name, o.scopes,
       o.resource, o.created_at, o.last_used_at, o.expires_at
FROM oauth_consents o JOIN oauth_clients c ON c.id = o.client JOIN users u ON u.id = o.user_id
WHERE (sqlc.narg(user_id)::uuid IS NULL OR o.user_id = sqlc.narg(user_id)::uuid)
  AND (sqlc.narg(before)::uuid IS NULL OR o.id < sqlc.narg(before)::uuid)
  AND o.expires_at > now()
ORDER BY o.id DESC
LIMIT @most;

-- name: LockConsent :one
SELECT o.id, o.user_id, u.name AS user_name, o.client, c.client_id, c.name AS client_name, o.scopes, o.resource,
       (o.expires_at > now() AND NOT u.disabled AND NOT u.must_change_password)::boolean AS good
FROM oauth_consents o JOIN oauth_clients c ON c.id = o.client JOIN users u ON u.id = o.user_id
WHERE o.id = @id
FOR UPDATE OF o;

-- name: DeleteConsent :execrows
DELETE FROM oauth_consents WHERE id = @id;

-- name: RenewConsent :exec
UPDATE oauth_consents SET expires_at = now() + make_interval(secs => @lifetime_seconds::float8) WHERE id = @id;

-- name: ConsentOfToken :one
SELECT t.consent_id, t.kind FROM oauth_tokens t WHERE t.hash = @hash;

-- name: UseRefreshToken :one
-- Runs under the lock of the consent. fresh reports that this call is the first to exchange the token, recent that the
-- first one was within the grace period.
WITH found AS (
    SELECT o.hash, o.used_at, o.expires_at FROM oauth_tokens o WHERE o.hash = @hash AND o.kind = 'refresh'
), used AS (
    UPDATE oauth_tokens t SET used_at = now() FROM found f WHERE t.hash = f.hash AND t.used_at IS NULL
)
SELECT (f.used_at IS NULL)::boolean AS fresh,
       coalesce(f.used_at > now() - make_interval(secs => @grace_seconds::float8), false)::boolean AS recent,
       (f.expires_at > now())::boolean AS live
FROM found f;

-- name: UnusedTokens :one
-- Remaining lifetime of the access token of a pair, while neither token of it was used.
SELECT extract(epoch FROM a.expires_at - now())::float8 AS access_seconds
FROM oauth_tokens a JOIN oauth_tokens r ON r.consent_id = a.consent_id
WHERE a.hash = @access_hash AND a.kind = 'access' AND a.used_at IS NULL AND a.expires_at > now()
  AND r.hash = @refresh_hash AND r.kind = 'refresh' AND r.used_at IS NULL AND r.expires_at > now()
  AND a.consent_id = @consent_id
FOR UPDATE OF a, r;

-- name: InsertToken :exec
INSERT INTO oauth_tokens (hash, consent_id, kind, expires_at)
VALUES (@hash, @consent_id, @kind, now() + make_interval(secs => @lifetime_seconds::float8));

-- name: DeleteFurtherAccessTokens :exec
-- Running requests with the previous token continue; the program does not need older tokens.
DELETE FROM oauth_tokens d
WHERE d.hash IN (
    SELECT o.hash FROM oauth_tokens o WHERE o.consent_id = @consent_id AND o.kind = 'access' ORDER BY o.created_at DESC, o.hash OFFSET 2);

-- name: DeleteToken :execrows
DELETE FROM oauth_tokens WHERE hash = @hash;

-- name: DeleteDeadTokens :execrows
DELETE FROM oauth_tokens WHERE expires_at <= now();

-- name: DeleteDeadCodes :execrows
-- Keeps codes for a day, to detect reuse.
DELETE FROM oauth_codes WHERE expires_at <= now() - interval '1 day';

-- name: DeleteDeadConsents :execrows
DELETE FROM oauth_consents WHERE expires_at <= now();

-- name: Registration :one
SELECT enabled, revision FROM oauth_registration;

-- name: LockRegistration :one
SELECT enabled, revision FROM oauth_registration FOR UPDATE;

-- name: SetRegistration :one
UPDATE oauth_registration SET enabled = @enabled, revision = revision + 1, updated_at = now() RETURNING enabled, revision;
