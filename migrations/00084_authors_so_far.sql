-- +goose Up
-- By itself, so that nobody who makes an entry meanwhile waits for the whole log to be read.
-- Of records from before the log knew changes, nothing is known.
WITH written AS (
    SELECT e.object_id::uuid AS object_id, e.object_type, p AS part, e.principal_kind, e.principal_id, max(e.at) AS at
    FROM ai_audit_entries e CROSS JOIN LATERAL ai_audit_parts(e.action, e.object_type, e.fields) p
    WHERE e.version = 2 AND e.action IN ('created', 'changed') AND e.principal_kind <> 'service' AND e.object_type <> 'ai.conversation'
      AND e.object_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
      AND NOT EXISTS (SELECT FROM ai_audit_entries d WHERE d.version = 2 AND d.object_type = e.object_type AND d.object_id = e.object_id AND d.action = 'deleted')
    GROUP BY 1, 2, 3, 4, 5
)
INSERT INTO ai_audit_authors (object_id, object_type, part, author_kind, author_id, written_at)
SELECT w.object_id, w.object_type, w.part, w.principal_kind, w.principal_id, w.at FROM written w
WHERE (w.part NOT IN ('name', 'description')
   OR NOT EXISTS (SELECT FROM written l WHERE l.object_id = w.object_id AND l.object_type = w.object_type AND l.part = w.part AND l.at > w.at))
  AND NOT EXISTS (SELECT FROM ai_audit_authors a WHERE a.object_id = w.object_id AND a.object_type = w.object_type AND a.part = w.part
                  AND a.part IN ('name', 'description') AND a.written_at >= w.at)
ON CONFLICT DO NOTHING;

-- +goose Down
SELECT 1;
