-- name: NewTargets :many
-- Targets that have never run.
SELECT t.id, t.system_id, t.interval_ms, t.phase_ms, c.name AS check_name,
       coalesce(t.scope -> 'environment' ->> 'name', '')::text AS environment,
       coalesce(t.scope -> 'system' -> 'metadata' ->> 'path', '')::text AS path
FROM check_targets t JOIN health_checks c ON c.id = t.check_id
WHERE NOT t.gone AND NOT EXISTS (SELECT FROM check_states s WHERE s.target = t.id)
ORDER BY t.id;

-- name: InsertTransition :exec
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason, began_ms)
VALUES (@system_id, sqlc.narg(target), @at_ms, @before, @after, @reason, @began_ms::bigint);

-- name: InsertState :exec
INSERT INTO check_states (target, status, since_ms, last_slot, reason, counts)
VALUES (@target, @status, @since_ms, @last_slot, @reason, @counts)
ON CONFLICT (target) DO NOTHING;

-- name: InsertSystemState :exec
INSERT INTO check_system_states (system_id, status, since_ms, target, reason)
VALUES (@system_id, @status, @since_ms, sqlc.narg(target), @reason)
ON CONFLICT (system_id) DO UPDATE
SET status = excluded.status, since_ms = excluded.since_ms, target = excluded.target, reason = excluded.reason;

-- name: DisownRecords :exec
-- Demo texts have no author, like everything that the product writes by itself. The applications that wrote them are
-- found by their creator, because any application may have their name.
DELETE FROM ai_audit_authors a USING ai_audit_entries e
WHERE a.author_kind = 'application' AND e.version = 2 AND e.object_type = 'auth.application' AND e.object_id = a.author_id::text
  AND e.action = 'created' AND e.principal_kind = 'service' AND e.transport = 'system' AND e.operation = @operation::text;

-- name: Tell :exec
-- A message about an incident that has reached a room; the first one by its second attempt.
WITH told AS (
    INSERT INTO notifications (id, about_kind, about_id, topic, edge, phase, is_urgent, created_at)
    SELECT gen_random_uuid(), 'incident', i.id, @topic, @edge, @phase, false, i.started_at + make_interval(secs => @after_seconds::integer)
    FROM incidents i WHERE i.dedupe_key = @dedupe_key::text
    ON CONFLICT DO NOTHING RETURNING id, created_at
)
INSERT INTO notify_deliveries (id, notification_id, channel_id, channel_kind, lane, state, attempts, next_at, created_at, ended_at, tries)
SELECT gen_random_uuid(), t.id, c.id, c.kind, c.lane, 'sent', jsonb_array_length(tries.list), t.created_at, t.created_at,
       t.created_at + tries.took, tries.list
FROM told t
JOIN notify_channels c ON c.owner_kind = 'team' AND c.name = @room
CROSS JOIN LATERAL (
    SELECT CASE WHEN @is_retried::boolean THEN interval '6 seconds' ELSE interval '1 second' END AS took,
           CASE WHEN @is_retried::boolean THEN jsonb_build_array(
               jsonb_build_object('at', t.created_at + interval '1 second', 'result', 'temporary',
                                  'reason', 'It answered with status 503.'),
               jsonb_build_object('at', t.created_at + interval '6 seconds', 'result', 'sent')
           ) ELSE jsonb_build_array(jsonb_build_object('at', t.created_at + interval '1 second', 'result', 'sent')) END AS list
) tries;
