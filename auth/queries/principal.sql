-- The principal behind a credential, with everything that decides what it may do, in one round trip: it runs for
-- every request and every tool call. Its rights come from functions, which keep their plans (migration 00231).

-- name: PrincipalBySession :one
SELECT s.id AS session_id,
       u.id,
       u.name,
       u.email,
       u.must_change_password,
       s.kind,
       s.name AS token_name,
       (s.last_seen_at < now() - make_interval(secs => @touch_seconds::float8))::boolean AS stale,
       principal_rules('user', u.id, @default_role::uuid)::text[] AS rules,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id ORDER BY tm.team_id)::uuid[] AS team_ids,
       principal_grants('user', u.id, @object_types::text[])::text[] AS grants
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.id = coalesce(sqlc.narg(session_id)::uuid, (SELECT t.id FROM sessions t WHERE t.token_hash = sqlc.narg(token_hash)::bytea))
  AND (@kind::text = '' OR s.kind = @kind::text)
  AND s.expires_at > now()
  AND (s.kind = 'chat' OR s.last_seen_at > now() - make_interval(secs => @idle_seconds::float8))
  AND NOT u.disabled;

-- name: PrincipalsOfUsers :many
-- People with their current rights, without any session.
SELECT u.id,
       u.name,
       u.email,
       principal_rules('user', u.id, @default_role::uuid)::text[] AS rules,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id ORDER BY tm.team_id)::uuid[] AS team_ids,
       principal_grants('user', u.id, @object_types::text[])::text[] AS grants
FROM users u
WHERE u.id = ANY (@user_ids::uuid[]) AND NOT u.disabled AND NOT u.must_change_password;

-- name: PrincipalByToken :one
SELECT a.token_id,
       a.issuer_id,
       a.id,
       a.name,
       coalesce(a.last_used_at < now() - make_interval(secs => @touch_seconds::float8), true)::boolean AS stale,
       principal_rules('application', a.id, NULL)::text[] AS rules,
       principal_grants('application', a.id, @object_types::text[])::text[] AS grants
FROM applications a
WHERE a.token_id = coalesce(sqlc.narg(token_id)::uuid,
    (SELECT t.token_id FROM applications t WHERE t.token_hash = sqlc.narg(token_hash)::bytea))
  AND (a.expires_at IS NULL OR a.expires_at > now())
  AND NOT a.disabled;

-- name: PrincipalByRun :one
-- The application that acts in a run, unless the run, the revision of its definition or the application is revoked. Its
-- token does not matter.
SELECT r.id AS run_id,
       r.definition_kind,
       r.definition_id,
       r.revision,
       r.author_id,
       a.issuer_id,
       a.id,
       a.name,
       principal_rules('application', a.id, NULL)::text[] AS rules,
       principal_grants('application', a.id, @object_types::text[])::text[] AS grants
FROM runs r JOIN applications a ON a.id = r.application_id
WHERE r.id = @run_id::uuid AND r.ended_at IS NULL AND NOT a.disabled
  AND NOT EXISTS (SELECT FROM run_revocations v WHERE v.definition_id = r.definition_id AND v.revision = r.revision);

-- name: ExpiredToken :one
-- Expiry of an application's token that is valid otherwise.
SELECT a.token_hash, a.expires_at FROM applications a
WHERE a.token_hash = @token_hash::bytea AND a.expires_at <= now() AND NOT a.disabled;

-- name: PrincipalByConsent :one
-- The person behind a program, by the consent or by the hash of one of its access tokens.
SELECT o.id AS consent_id,
       o.scopes,
       o.resource,
       c.client_id,
       c.name AS client_name,
       u.id,
       u.name,
       u.email,
       u.must_change_password,
       coalesce(o.last_used_at < now() - make_interval(secs => @touch_seconds::float8), true)::boolean AS stale,
       -- This access token is unused.
       EXISTS (SELECT FROM oauth_tokens n WHERE n.hash = sqlc.narg(token_hash)::bytea AND n.used_at IS NULL) AS unused,
       principal_rules('user', u.id, @default_role::uuid)::text[] AS rules,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id ORDER BY tm.team_id)::uuid[] AS team_ids,
       principal_grants('user', u.id, @object_types::text[])::text[] AS grants
FROM oauth_consents o JOIN users u ON u.id = o.user_id JOIN oauth_clients c ON c.id = o.client
WHERE o.id = coalesce(sqlc.narg(consent_id)::uuid, (
        SELECT t.consent_id FROM oauth_tokens t
        WHERE t.hash = sqlc.narg(token_hash)::bytea AND t.kind = 'access' AND t.expires_at > now()))
  AND o.expires_at > now()
  AND NOT u.disabled;

-- name: UseAccessToken :exec
-- The first use of an access token proves that its program received it.
UPDATE oauth_tokens SET used_at = now() WHERE hash = @hash AND used_at IS NULL;

-- name: TouchConsent :exec
UPDATE oauth_consents SET last_used_at = now()
WHERE id = @id AND (last_used_at IS NULL OR last_used_at < now() - make_interval(secs => @touch_seconds::float8));

-- name: TouchSession :exec
UPDATE sessions SET last_seen_at = now()
WHERE id = @id AND last_seen_at < now() - make_interval(secs => @touch_seconds::float8);

-- name: TouchToken :exec
UPDATE applications SET last_used_at = now()
WHERE token_id = @token_id
  AND (last_used_at IS NULL OR last_used_at < now() - make_interval(secs => @touch_seconds::float8));
