-- The principal behind a credential, with everything that decides what it may do, in one round trip: it runs for
-- every request and every tool call.

-- name: PrincipalBySession :one
SELECT s.id AS session_id,
       u.id,
       u.name,
       u.email,
       u.must_change_password,
       s.kind,
       s.name AS token_name,
       (s.last_seen_at < now() - make_interval(secs => @touch_seconds::float8))::boolean AS stale,
       ARRAY(SELECT DISTINCT rule
             FROM roles r CROSS JOIN unnest(r.rules) AS rule
             WHERE r.id = @default_role::uuid OR r.id IN (SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = u.id)
             ORDER BY rule)::text[] AS rules,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id ORDER BY tm.team_id)::uuid[] AS team_ids,
       -- The highest relation of grants on any object of each type, "catalog.system editor".
       ARRAY(SELECT t.object_type || ' ' || h.relation
             FROM unnest(@object_types::text[]) AS t(object_type)
             CROSS JOIN LATERAL (
                 SELECT l.relation FROM (VALUES (1, 'owner'), (2, 'editor'), (3, 'viewer')) AS l(place, relation)
                 WHERE EXISTS (SELECT FROM relation_tuples r
                               WHERE r.subject_type = 'user' AND r.subject_id = u.id AND r.object_type = t.object_type AND r.relation = l.relation)
                    OR EXISTS (SELECT FROM team_members tm JOIN relation_tuples r ON r.subject_id = tm.team_id
                               WHERE tm.user_id = u.id AND r.subject_type = 'team' AND r.object_type = t.object_type AND r.relation = l.relation)
                 ORDER BY l.place LIMIT 1) h)::text[] AS grants
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.id = coalesce(sqlc.narg(session_id)::uuid, (SELECT t.id FROM sessions t WHERE t.token_hash = sqlc.narg(token_hash)::bytea))
  AND (@kind::text = '' OR s.kind = @kind::text)
  AND s.expires_at > now()
  AND (s.kind = 'chat' OR s.last_seen_at > now() - make_interval(secs => @idle_seconds::float8))
  AND NOT u.disabled;

-- name: PrincipalByToken :one
SELECT a.token_id,
       a.issuer_id,
       a.id,
       a.name,
       coalesce(a.last_used_at < now() - make_interval(secs => @touch_seconds::float8), true)::boolean AS stale,
       ARRAY(SELECT DISTINCT rule
             FROM application_roles ar JOIN roles r ON r.id = ar.role_id CROSS JOIN unnest(r.rules) AS rule
             WHERE ar.application_id = a.id
             ORDER BY rule)::text[] AS rules,
       -- The highest relation of grants on any object of each type, "catalog.system editor".
       ARRAY(SELECT t.object_type || ' ' || h.relation
             FROM unnest(@object_types::text[]) AS t(object_type)
             CROSS JOIN LATERAL (
                 SELECT l.relation FROM (VALUES (1, 'owner'), (2, 'editor'), (3, 'viewer')) AS l(place, relation)
                 WHERE EXISTS (SELECT FROM relation_tuples r
                               WHERE r.subject_type = 'application' AND r.subject_id = a.id AND r.object_type = t.object_type AND r.relation = l.relation)
                 ORDER BY l.place LIMIT 1) h)::text[] AS grants
FROM applications a
WHERE a.token_id = coalesce(sqlc.narg(token_id)::uuid, (SELECT t.token_id FROM applications t WHERE t.token_hash = sqlc.narg(token_hash)::bytea))
  AND (a.expires_at IS NULL OR a.expires_at > now())
  AND NOT a.disabled;

-- name: ExpiredToken :one
-- When the token of an application has expired that could be used otherwise.
SELECT a.token_hash, a.expires_at FROM applications a
WHERE a.token_hash = @token_hash::bytea AND a.expires_at <= now() AND NOT a.disabled;

-- name: PrincipalByConsent :one
-- Who has let a program act for them, by the consent or by the hash of an access token that was made from it.
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
       -- Nobody has used this access token yet.
       EXISTS (SELECT FROM oauth_tokens n WHERE n.hash = sqlc.narg(token_hash)::bytea AND n.used_at IS NULL) AS unused,
       ARRAY(SELECT DISTINCT rule
             FROM roles r CROSS JOIN unnest(r.rules) AS rule
             WHERE r.id = @default_role::uuid OR r.id IN (SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = u.id)
             ORDER BY rule)::text[] AS rules,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id ORDER BY tm.team_id)::uuid[] AS team_ids,
       -- The highest relation of grants on any object of each type, "catalog.system editor".
       ARRAY(SELECT t.object_type || ' ' || h.relation
             FROM unnest(@object_types::text[]) AS t(object_type)
             CROSS JOIN LATERAL (
                 SELECT l.relation FROM (VALUES (1, 'owner'), (2, 'editor'), (3, 'viewer')) AS l(place, relation)
                 WHERE EXISTS (SELECT FROM relation_tuples r
                               WHERE r.subject_type = 'user' AND r.subject_id = u.id AND r.object_type = t.object_type AND r.relation = l.relation)
                    OR EXISTS (SELECT FROM team_members tm JOIN relation_tuples r ON r.subject_id = tm.team_id
                               WHERE tm.user_id = u.id AND r.subject_type = 'team' AND r.object_type = t.object_type AND r.relation = l.relation)
                 ORDER BY l.place LIMIT 1) h)::text[] AS grants
FROM oauth_consents o JOIN users u ON u.id = o.user_id JOIN oauth_clients c ON c.id = o.client
WHERE o.id = coalesce(sqlc.narg(consent_id)::uuid, (
        SELECT t.consent_id FROM oauth_tokens t
        WHERE t.hash = sqlc.narg(token_hash)::bytea AND t.kind = 'access' AND t.expires_at > now()))
  AND o.expires_at > now()
  AND NOT u.disabled;

-- name: UseAccessToken :exec
-- That an access token was used says that its program has got it.
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
