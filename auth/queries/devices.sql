-- name: IsKnownDevice :one
SELECT EXISTS (
    SELECT 1 FROM known_devices d JOIN users u ON u.id = d.user_id
    WHERE d.token_hash = @token_hash AND lower(u.email) = lower(@email)
      AND d.last_used_at > now() - make_interval(secs => @lifetime_seconds::float8));

-- name: DeviceExists :one
SELECT EXISTS (SELECT 1 FROM known_devices WHERE token_hash = @token_hash);

-- name: KeepDevice :exec
INSERT INTO known_devices (token_hash, user_id) VALUES (@token_hash, @user_id)
ON CONFLICT (token_hash, user_id) DO UPDATE SET last_used_at = now();

-- name: DeleteFurtherDevices :exec
-- Keeps the most recently used devices of a user.
DELETE FROM known_devices d
WHERE d.user_id = @user_id AND d.token_hash IN (
    SELECT o.token_hash FROM known_devices o WHERE o.user_id = @user_id ORDER BY o.last_used_at DESC, o.token_hash OFFSET @most::bigint);

-- name: ForgetDevices :exec
DELETE FROM known_devices WHERE user_id = @user_id;

-- name: DeleteOldDevices :execrows
DELETE FROM known_devices WHERE last_used_at <= now() - make_interval(secs => @lifetime_seconds::float8);
