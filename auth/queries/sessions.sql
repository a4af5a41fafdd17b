-- name: InsertSession :one
INSERT INTO sessions (id, token_hash, user_id, user_agent, address, expires_at)
SELECT @id::uuid, @token_hash::bytea, u.id, @user_agent::text, @address::text,
       now() + make_interval(secs => @lifetime_seconds::float8)
FROM users u
WHERE u.id = @user_id AND u.password_hash = @password_hash AND NOT u.disabled
FOR SHARE OF u
RETURNING id;

-- name: SessionsByUser :many
SELECT * FROM sessions
WHERE user_id = @user_id AND kind = 'sign-in'
  AND expires_at > now()
  AND last_seen_at > now() - make_interval(secs => @idle_seconds::float8)
ORDER BY last_seen_at DESC, id;

-- name: DeleteSession :execrows
DELETE FROM sessions WHERE id = @id AND user_id = @user_id AND kind = @kind;

-- name: DeleteSessionsByUser :execrows
DELETE FROM sessions WHERE user_id = @user_id AND id <> @keep;

-- name: DeleteDeadSessions :execrows
DELETE FROM sessions
WHERE expires_at <= now() OR (kind = 'sign-in' AND last_seen_at <= now() - make_interval(secs => @idle_seconds::float8));

-- name: LockChatTokens :exec
-- Serializes new chat tokens of a person.
SELECT pg_advisory_xact_lock(hashtextextended('chat tokens/' || @user_id::text, 0));

-- name: LockPerson :exec
-- Locks how the person signs in until the end of the transaction, and so the revocation of their sessions.
SELECT id FROM users WHERE id = @id FOR KEY SHARE;

-- name: SignInStands :one
-- Runs after LockPerson.
SELECT EXISTS (SELECT FROM sessions WHERE id = @id AND user_id = @user_id AND kind = 'sign-in' AND expires_at > now());

-- name: InsertChatToken :one
INSERT INTO sessions (id, token_hash, user_id, user_agent, address, expires_at, kind, name)
SELECT @id::uuid, @token_hash::bytea, u.id, '', '', @expires_at::timestamptz, 'chat', @name::text
FROM users u
WHERE u.id = @user_id AND NOT u.disabled AND @expires_at::timestamptz > now()
  AND @expires_at::timestamptz <= now() + make_interval(days => @most_days::int)
RETURNING *;

-- name: ChatTokensByUser :many
SELECT * FROM sessions WHERE user_id = @user_id AND kind = 'chat' AND expires_at > now() ORDER BY created_at DESC, id;

-- name: DeleteConsentsByUser :execrows
-- Revokes the consents of a person, and pending ones too.
WITH codes AS (
    DELETE FROM oauth_codes c WHERE c.user_id = @user_id AND c.used_at IS NULL
)
DELETE FROM oauth_consents o WHERE o.user_id = @user_id;
