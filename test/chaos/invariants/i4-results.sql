-- I4: every stored tool call has exactly one result: in what the person sees (parts), in what the model is shown later
-- (model_messages), and both are the calls that the model made (turn_steps, which are kept for ten minutes).
WITH seen AS (
    SELECT m.turn_id, p ->> 'toolCallId' AS call, p ->> 'state' AS state
    FROM ai_messages m, jsonb_array_elements(m.parts) p
    WHERE p ->> 'type' = 'dynamic-tool'
), asked AS (
    SELECT m.turn_id, c ->> 'id' AS call
    FROM ai_messages m, jsonb_array_elements(m.model_messages) e, jsonb_array_elements(e -> 'toolCalls') c
    WHERE e ->> 'role' = 'assistant' AND jsonb_typeof(e -> 'toolCalls') = 'array'
), answered AS (
    SELECT m.turn_id, e ->> 'toolCallId' AS call
    FROM ai_messages m, jsonb_array_elements(m.model_messages) e
    WHERE e ->> 'role' = 'tool'
), made AS (
    SELECT s.turn_id, c ->> 'id' AS call
    FROM turn_steps s, jsonb_array_elements(s.result -> 'calls') c
    WHERE s.call = 0 AND jsonb_typeof(s.result -> 'calls') = 'array'
), calls AS (
    SELECT turn_id, call FROM seen UNION SELECT turn_id, call FROM asked UNION SELECT turn_id, call FROM answered
    UNION SELECT turn_id, call FROM made
)
SELECT c.turn_id AS subject,
       format('the call %s was made %s times, shown %s times, kept %s times, answered %s times', c.call, made.n,
           seen.n, asked.n, answered.n) AS what
FROM calls c
CROSS JOIN LATERAL (SELECT count(*) AS n FROM made x WHERE x.turn_id = c.turn_id AND x.call = c.call) made
CROSS JOIN LATERAL (SELECT count(*) AS n FROM seen x
    WHERE x.turn_id = c.turn_id AND x.call = c.call AND x.state IN ('output-available', 'output-error', 'approval-requested')) seen
CROSS JOIN LATERAL (SELECT count(*) AS n FROM asked x WHERE x.turn_id = c.turn_id AND x.call = c.call) asked
CROSS JOIN LATERAL (SELECT count(*) AS n FROM answered x WHERE x.turn_id = c.turn_id AND x.call = c.call) answered
WHERE (made.n, seen.n, asked.n, answered.n) <> (1, 1, 1, 1)
  AND EXISTS (SELECT 1 FROM turn_steps s WHERE s.turn_id = c.turn_id)
