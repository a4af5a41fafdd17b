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
WHERE user_id = @user_id
  AND expires_at > now()
  AND last_seen_at > now() - make_interval(secs => @idle_seconds::float8)
ORDER BY last_seen_at DESC, id;

-- name: DeleteSession :execrows
DELETE FROM sessions WHERE id = @id AND user_id = @user_id;

-- name: DeleteSessionsByUser :execrows
DELETE FROM sessions WHERE user_id = @user_id AND id <> @keep;

-- name: DeleteDeadSessions :execrows
DELETE FROM sessions
WHERE expires_at <= now() OR last_seen_at <= now() - make_interval(secs => @idle_seconds::float8);

-- name: DeleteConsentsByUser :execrows
-- Programs that a person has let act for them have to be let again.
DELETE FROM oauth_consents WHERE user_id = @user_id;
