-- name: PutPasswordLink :one
-- A newer link replaces the previous one.
INSERT INTO password_links (user_id, id, secret_hash, kind, issuer_id, expires_at)
VALUES (@user_id, @id, @secret_hash, @kind, @issuer_id, now() + make_interval(secs => @lifetime_seconds::float8))
ON CONFLICT (user_id) DO UPDATE
SET id = excluded.id, secret_hash = excluded.secret_hash, kind = excluded.kind, issuer_id = excluded.issuer_id,
    created_at = now(), expires_at = excluded.expires_at
RETURNING expires_at;

-- name: PasswordLink :one
-- The valid link: not expired, and of an account that can sign in.
SELECT l.user_id, l.secret_hash, l.kind, l.issuer_id, l.expires_at, u.name, u.email
FROM password_links l JOIN users u ON u.id = l.user_id
WHERE l.id = @id AND l.expires_at > now() AND NOT u.disabled;

-- name: PersonWithRights :one
-- A user who can sign in, with their rights.
SELECT u.id, u.name, u.email,
       ARRAY(SELECT DISTINCT rule
             FROM roles r CROSS JOIN unnest(r.rules) AS rule
             WHERE r.id = @default_role::uuid OR r.id IN (SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = u.id)
             ORDER BY rule)::text[] AS rules,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id ORDER BY tm.team_id)::uuid[] AS team_ids
FROM users u WHERE u.id = @id AND NOT u.disabled;

-- name: DeletePasswordLink :execrows
DELETE FROM password_links WHERE user_id = @user_id;

-- name: DeletePasswordLinksOf :exec
-- The link of an account, and those that it has made for others.
DELETE FROM password_links WHERE user_id = @user_id OR issuer_id = @user_id;

-- name: DeleteOldPasswordLinks :execrows
DELETE FROM password_links WHERE expires_at <= now();
