-- name: LockIdentity :exec
-- Serializes first sign-ins of one person.
SELECT pg_advisory_xact_lock(hashtextextended(@identity::text, 0));

-- name: UserByIdentity :one
SELECT u.id, u.name, u.email, u.password_hash, u.disabled
FROM auth_identities i JOIN users u ON u.id = i.user_id
WHERE i.issuer = @issuer AND i.subject = @subject;

-- name: HasIdentity :one
SELECT EXISTS (SELECT FROM auth_identities WHERE user_id = @user_id AND issuer = @issuer);

-- name: InsertIdentity :exec
INSERT INTO auth_identities (issuer, subject, user_id) VALUES (@issuer, @subject, @user_id);

-- name: SeeIdentity :exec
UPDATE auth_identities SET seen_at = now() WHERE issuer = @issuer AND subject = @subject;

-- name: SignInExpired :one
-- Whether a person can sign in only at an identity provider, and has not done so for that long.
SELECT (u.password_hash = '' AND NOT EXISTS (
    SELECT FROM auth_identities i WHERE i.user_id = u.id AND i.seen_at > now() - make_interval(secs => @seconds::float8)))::boolean
FROM users u WHERE u.id = @id;

-- name: RolesByName :many
SELECT id, name FROM roles WHERE lower(name) = ANY(@names::text[]) ORDER BY id FOR SHARE;

-- name: TakeRoles :execrows
-- Roles that follow groups but are not in the groups.
DELETE FROM user_roles WHERE user_id = @user_id AND role_id = ANY(@mapped::uuid[]) AND NOT role_id = ANY(@held::uuid[]);
