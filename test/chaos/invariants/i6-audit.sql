-- I6: one audit row per logical call, counted once in the budget, and none is left open.
WITH made AS (
    -- The calls that turns have come to: those with a record. Records are kept for ten minutes.
    SELECT turn_id, step, call FROM turn_steps WHERE call > 0
)
SELECT m.turn_id AS subject, format('call %s of step %s has no audit row', m.call, m.step) AS what
FROM made m
WHERE NOT EXISTS (SELECT 1 FROM ai_tool_calls c WHERE (c.turn_id, c.step, c.call) = (m.turn_id, m.step, m.call))
UNION ALL
SELECT c.turn_id, format('the audit row of call %s of step %s has no call', c.call, c.step)
FROM ai_tool_calls c
WHERE EXISTS (SELECT 1 FROM turn_steps s WHERE s.turn_id = c.turn_id)
  -- A call that ran when its turn was stopped or failed ends with it, without a record.
  AND NOT (c.status = 'failed' AND c.error_code IN ('stopped', 'internal'))
  AND NOT EXISTS (SELECT 1 FROM made m WHERE (c.turn_id, c.step, c.call) = (m.turn_id, m.step, m.call))
UNION ALL
SELECT c.id, format('the call of %s through %s is still %s', c.tool_name, c.transport, c.status)
FROM ai_tool_calls c
LEFT JOIN ai_proposals p ON p.id = c.id
WHERE c.status IN ('running', 'applying') OR (c.status = 'proposed' AND p.status IS DISTINCT FROM 'proposed')
UNION ALL
SELECT c.id, format('the call is %s and its proposal %s', c.status, p.status)
FROM ai_tool_calls c
JOIN ai_proposals p ON p.id = c.id
WHERE c.status <> p.status
UNION ALL
-- The budget numbers the calls of a principal without gaps: a call that counted twice would leave one.
SELECT NULL, format('the budget counted %s calls as %s', count(*), max(c.number))
FROM ai_tool_calls c
GROUP BY c.principal_id HAVING count(*) <> count(c.number) OR count(*) <> max(c.number)
UNION ALL
SELECT c.id, format('the call is %s and %s', c.status, CASE WHEN c.finished_at IS NULL THEN 'has no end' ELSE 'has ended' END)
FROM ai_tool_calls c
WHERE (c.finished_at IS NULL) <> (c.status = 'proposed')
