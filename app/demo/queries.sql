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
