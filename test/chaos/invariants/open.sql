-- Running work. Proposals that wait for a decision do not count: they have time.
SELECT id AS subject, 'turn ' || status AS what FROM ai_turns WHERE status IN ('pending', 'running')
UNION ALL
SELECT id, 'proposal ' || status FROM ai_proposals WHERE status = 'applying' OR (status = 'proposed' AND expires_at <= now())
UNION ALL
SELECT id, 'tool call ' || status FROM ai_tool_calls WHERE status IN ('running', 'applying')
UNION ALL
SELECT id, 'script test ' || status FROM script_tests WHERE status = 'running'
UNION ALL
SELECT id, 'delivery ' || state FROM notify_deliveries WHERE state = 'waiting'
UNION ALL
-- An event that is not handled yet leads to more rows.
SELECT '00000000-0000-0000-0000-000000000000', 'event ' || e.type || ' for ' || l.consumer
FROM event_lanes l JOIN event_consumers c ON c.name = l.consumer
JOIN events e ON event_lane(e.subject) = l.lane AND e.id > l.seen AND e.type = ANY (c.types)
UNION ALL
SELECT '00000000-0000-0000-0000-000000000000', 'retry of an event for ' || consumer FROM event_retries WHERE dead_at IS NULL
