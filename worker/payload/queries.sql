-- name: KeysInUse :many
SELECT key_id, proof FROM payload_keys ORDER BY key_id;

-- name: UseKey :exec
INSERT INTO payload_keys (key_id, proof) VALUES (@key_id, @proof) ON CONFLICT (key_id) DO NOTHING;
