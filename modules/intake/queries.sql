-- name: CreateSource :one
INSERT INTO intake_sources (id, kind, name, name_key, team_id, is_enabled, token_hash, keys_sealed, rules)
VALUES (@id, @kind, @name, @name_key, sqlc.narg(team_id), @is_enabled, @token_hash, @keys_sealed, @rules)
RETURNING *;

-- name: CountSources :one
SELECT count(*) FROM intake_sources;

-- name: AddActivity :exec
INSERT INTO intake_activity (source_id) VALUES ($1);

-- name: Source :one
SELECT * FROM intake_sources WHERE id = $1;

-- name: SourceByToken :one
SELECT * FROM intake_sources WHERE token_hash = $1;

-- name: LockActivity :one
-- Lets one payload of a source be taken at a time. It is locked before the source.
SELECT * FROM intake_activity WHERE source_id = $1 FOR UPDATE;

-- name: LockSource :one
SELECT * FROM intake_sources WHERE id = $1 FOR NO KEY UPDATE;

-- name: Sources :many
SELECT * FROM intake_sources
WHERE name_key > @after AND (sqlc.narg(team_id)::uuid IS NULL OR team_id = sqlc.narg(team_id))
ORDER BY name_key LIMIT @max_rows::integer;

-- name: ActivityOf :many
SELECT * FROM intake_activity WHERE source_id = ANY (@ids::uuid[]);

-- name: FiringOf :many
SELECT source_id, count(*) AS firing FROM intake_alerts WHERE source_id = ANY (@ids::uuid[]) AND is_firing GROUP BY source_id;

-- name: UpdateSource :one
UPDATE intake_sources
SET name = @name, name_key = @name_key, team_id = sqlc.narg(team_id), is_enabled = @is_enabled, rules = @rules,
    revision = revision + 1, updated_at = now()
WHERE id = @id
RETURNING *;

-- name: SetKeys :one
UPDATE intake_sources
SET keys_sealed = @keys_sealed, token_hash = @token_hash, former_until = sqlc.narg(former_until), revision = revision + 1,
    updated_at = now()
WHERE id = @id
RETURNING *;

-- name: SetSealed :exec
UPDATE intake_sources SET keys_sealed = @keys_sealed WHERE id = @id;

-- name: SealedSources :many
SELECT id FROM intake_sources WHERE id > @after ORDER BY id LIMIT @max_rows::integer;

-- name: DeleteSource :exec
DELETE FROM intake_sources WHERE id = $1;

-- name: DropTeam :exec
UPDATE intake_sources SET team_id = NULL, revision = revision + 1, updated_at = now() WHERE team_id = @team_id::uuid;

-- name: NamesOf :many
SELECT id, name FROM intake_sources WHERE id = ANY (@ids::uuid[]);

-- name: Received :exec
UPDATE intake_activity SET received = received + 1, received_at = clock_timestamp() WHERE source_id = $1;

-- name: Refused :exec
-- Notes a refusal, the same one once in ten seconds: anybody who knows the address can cause it.
UPDATE intake_activity SET refused_at = clock_timestamp(), refused_reason = @reason
WHERE source_id = @source_id
  AND (refused_at IS NULL OR refused_reason <> @reason OR refused_at < clock_timestamp() - interval '10 seconds');

-- name: Confirmed :exec
UPDATE intake_activity SET confirmed_at = clock_timestamp(), received_at = clock_timestamp() WHERE source_id = $1;

-- name: KeepPayload :one
-- Keeps a payload, or counts one that came before.
INSERT INTO intake_payloads (id, source_id, digest, body, alerts, note)
VALUES (@id, @source_id, @digest, @body, @alerts, @note)
ON CONFLICT (source_id, digest) DO UPDATE SET last_at = clock_timestamp(), times = intake_payloads.times + 1
RETURNING id, times;

-- name: Payloads :many
SELECT id, alerts, note, received_at, last_at, times, octet_length(body) AS bytes FROM intake_payloads
WHERE source_id = @source_id AND (last_at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY last_at DESC, id DESC LIMIT @max_rows::integer;

-- name: Payload :one
SELECT * FROM intake_payloads WHERE id = @id AND source_id = @source_id;

-- name: KnownAlerts :many
-- The last known alerts of incidents.
SELECT * FROM intake_alerts WHERE source_id = @source_id AND incident_key = ANY (@keys::text[]);

-- name: CountAlerts :one
SELECT count(*) FROM intake_alerts WHERE source_id = $1;

-- name: PutAlert :exec
INSERT INTO intake_alerts (source_id, incident_key, alert_key, is_firing, at, ended_at, title, description, severity, labels, url,
    payload_id)
VALUES (@source_id, @incident_key, @alert_key, @is_firing, @at, sqlc.narg(ended_at), @title, @description, @severity, @labels, @url,
    @payload_id)
ON CONFLICT (source_id, incident_key, alert_key) DO UPDATE
SET is_firing = excluded.is_firing, at = excluded.at, ended_at = excluded.ended_at, title = excluded.title,
    description = excluded.description, severity = excluded.severity, labels = excluded.labels, url = excluded.url,
    payload_id = excluded.payload_id, seen_at = clock_timestamp(),
    turned_at = CASE WHEN intake_alerts.is_firing = excluded.is_firing THEN intake_alerts.turned_at ELSE clock_timestamp() END;

-- name: KnownIncidents :many
SELECT * FROM intake_incidents WHERE source_id = @source_id AND incident_key = ANY (@keys::text[]);

-- name: PutIncident :exec
INSERT INTO intake_incidents (source_id, incident_key, incident_id, title, description, severity)
VALUES (@source_id, @incident_key, @incident_id, @title, @description, @severity)
ON CONFLICT (source_id, incident_key) DO UPDATE
SET incident_id = excluded.incident_id, title = excluded.title, description = excluded.description, severity = excluded.severity;

-- name: AddReceipt :exec
INSERT INTO intake_receipts (id, incident_id, source_id, source_name, payload_id, result, title, firing, resolved)
VALUES (@id, @incident_id, @source_id, @source_name, @payload_id, @result, @title, @firing, @resolved);

-- name: Receipts :many
SELECT * FROM intake_receipts
WHERE incident_id = @incident_id AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC LIMIT @max_rows::integer;

-- name: AlertsOf :many
-- The alerts of an incident, those that fire first.
SELECT a.*, s.name AS source_name, s.kind AS source_kind
FROM intake_incidents i
JOIN intake_sources s ON s.id = i.source_id
JOIN intake_alerts a ON a.source_id = i.source_id AND a.incident_key = i.incident_key
WHERE i.incident_id = @incident_id
ORDER BY a.is_firing DESC, a.at DESC, a.source_id, a.incident_key, a.alert_key
LIMIT @max_rows::integer;

-- name: DropIncident :exec
WITH gone AS (DELETE FROM intake_receipts WHERE intake_receipts.incident_id = @incident_id)
DELETE FROM intake_incidents WHERE intake_incidents.incident_id = @incident_id;

-- name: PrunePayloads :execrows
DELETE FROM intake_payloads WHERE id IN (
    SELECT p.id FROM intake_payloads p WHERE p.last_at < now() - make_interval(days => @days::integer) LIMIT @max_rows::integer);

-- name: PruneAlerts :execrows
-- Forgets alerts that ended long ago, and are therefore late if they come again.
DELETE FROM intake_alerts WHERE (source_id, incident_key, alert_key) IN (
    SELECT a.source_id, a.incident_key, a.alert_key FROM intake_alerts a
    WHERE NOT a.is_firing AND a.seen_at < now() - make_interval(days => @days::integer) LIMIT @max_rows::integer);
