-- name: UserForLogin :one
SELECT id, name, email, password_hash, disabled FROM users WHERE lower(email) = lower(@email);

-- name: UserExists :one
SELECT EXISTS (SELECT 1 FROM users);

-- name: InsertUser :exec
INSERT INTO users (id, email, name, password_hash, must_change_password) VALUES (@id, @email, @name, @password_hash, @must_change_password);

-- name: LockUser :one
SELECT * FROM users WHERE id = @id FOR UPDATE;

-- name: UpdateUser :exec
UPDATE users
SET email = @email, name = @name, disabled = @disabled, password_hash = @password_hash, must_change_password = @must_change_password,
    revision = revision + 1, updated_at = now()
WHERE id = @id;

-- name: RehashPassword :exec
-- Keeps the revision: nothing visible has changed. A password that was changed concurrently stays.
UPDATE users SET password_hash = @new_hash WHERE id = @id AND password_hash = @old_hash;

-- name: DeleteUser :execrows
DELETE FROM users WHERE id = @id;

-- name: Users :many
-- By name, after the name and the id of the last one of the page before. words are patterns that name and address must
-- match, all of them, and longest is one of them for the index; '' for all.
SELECT users.id, email, name, disabled, must_change_password, revision, users.created_at, updated_at, last_sign_in_at,
       lower(name)::text AS sorted_by, (password_hash <> '')::boolean AS has_password,
       EXISTS (SELECT FROM auth_identities i WHERE i.user_id = users.id)::boolean AS federated,
       coalesce(l.kind, '') AS link_kind, l.expires_at AS link_expires_at,
       ARRAY(SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = users.id)::uuid[] AS role_ids,
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = users.id)::uuid[] AS team_ids
FROM users LEFT JOIN password_links l ON l.user_id = users.id AND l.expires_at > now()
WHERE (sqlc.narg(id)::uuid IS NULL OR users.id = sqlc.narg(id)::uuid)
  AND (@longest::text = '' OR lower(name || ' ' || email) LIKE lower(@longest::text)
       AND NOT EXISTS (SELECT FROM unnest(@words::text[]) AS word WHERE lower(name || ' ' || email) NOT LIKE lower(word)))
  AND (sqlc.narg(role_id)::uuid IS NULL OR users.id IN (SELECT h.user_id FROM user_roles h WHERE h.role_id = sqlc.narg(role_id)::uuid))
  AND (@status::text <> 'disabled' OR disabled)
  AND (@status <> 'invited' OR (NOT disabled AND password_hash = ''
      AND NOT EXISTS (SELECT FROM auth_identities i WHERE i.user_id = users.id)))
  AND (@status <> 'active' OR (NOT disabled AND (password_hash <> '' OR EXISTS (SELECT FROM auth_identities i WHERE i.user_id = users.id))))
  AND (sqlc.narg(after_id)::uuid IS NULL OR (lower(name), users.id) > (@after_name::text, sqlc.narg(after_id)::uuid))
ORDER BY lower(name), users.id
LIMIT @most;

-- name: CountUsers :one
-- Counts at most @most.
SELECT count(*) FROM (SELECT FROM users
WHERE (@longest::text = '' OR lower(name || ' ' || email) LIKE lower(@longest::text)
       AND NOT EXISTS (SELECT FROM unnest(@words::text[]) AS word WHERE lower(name || ' ' || email) NOT LIKE lower(word)))
  AND (sqlc.narg(role_id)::uuid IS NULL OR users.id IN (SELECT h.user_id FROM user_roles h WHERE h.role_id = sqlc.narg(role_id)::uuid))
  AND (@status::text <> 'disabled' OR disabled)
  AND (@status <> 'invited' OR (NOT disabled AND password_hash = ''
      AND NOT EXISTS (SELECT FROM auth_identities i WHERE i.user_id = users.id)))
  AND (@status <> 'active' OR (NOT disabled AND (password_hash <> '' OR EXISTS (SELECT FROM auth_identities i WHERE i.user_id = users.id))))
ORDER BY lower(name), users.id LIMIT @most) counted;

-- name: NoteSignIn :exec
-- Keeps the revision: nothing visible has changed.
UPDATE users SET last_sign_in_at = now() WHERE id = @id;

-- name: AddUserRoles :exec
INSERT INTO user_roles (user_id, role_id) SELECT @user_id, unnest(@role_ids::uuid[]) ON CONFLICT DO NOTHING;

-- name: ClearUserRoles :exec
DELETE FROM user_roles WHERE user_id = @user_id;

-- name: RulesByUser :one
SELECT ARRAY(SELECT DISTINCT rule
             FROM user_roles ur JOIN roles r ON r.id = ur.role_id CROSS JOIN unnest(r.rules) AS rule
             WHERE ur.user_id = @user_id ORDER BY rule)::text[];

-- name: CountHolders :one
-- Counts the people who can sign in and hold all of the rules by their roles, up to a limit.
SELECT count(*) FROM (
    SELECT FROM users u
    WHERE NOT u.disabled AND (u.password_hash <> '' OR EXISTS (SELECT FROM auth_identities i WHERE i.user_id = u.id)) AND NOT EXISTS (
        SELECT FROM unnest(@rules::text[]) AS wanted
        WHERE NOT EXISTS (
            SELECT FROM roles r
            WHERE (r.id = @default_role OR r.id IN (SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = u.id))
              AND (wanted = ANY (r.rules) OR '*' = ANY (r.rules))))
    LIMIT @most) AS holders;

-- name: LockAdministrators :exec
-- Serializes changes of administrators by the role's row.
SELECT id FROM roles WHERE id = @admin_role FOR NO KEY UPDATE;

-- name: CountAdministrators :one
SELECT count(*) FROM user_roles ur JOIN users u ON u.id = ur.user_id
WHERE ur.role_id = @admin_role AND NOT u.disabled
  -- Users who never signed in cannot undo the change.
  AND (u.password_hash <> '' OR EXISTS (SELECT FROM auth_identities i WHERE i.user_id = u.id));
