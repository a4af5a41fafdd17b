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
