-- How much there was to check.
SELECT NULL::uuid AS subject, format('%s turns %s', count(*), status) AS what FROM ai_turns GROUP BY status
UNION ALL
SELECT NULL, format('%s proposals %s', count(*), status) FROM ai_proposals GROUP BY status
UNION ALL
SELECT NULL, format('%s tool calls', count(*)) FROM ai_tool_calls
UNION ALL
SELECT NULL, format('%s turns taken over', count(*)) FROM ai_turns WHERE claim > 1
