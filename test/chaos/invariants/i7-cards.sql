-- I7: the cards of an answer are the proposals of its turn, and no call that it says was not done has a proposal that
-- can still be applied, or was.
WITH cards AS (
    SELECT m.turn_id, p -> 'data' ->> 'proposalId' AS id
    FROM ai_messages m, jsonb_array_elements(m.parts) p
    WHERE m.role = 'assistant' AND p ->> 'type' IN ('data-proposal', 'data-applied')
), refused AS (
    SELECT m.turn_id, p ->> 'toolCallId' AS call, p ->> 'errorText' AS said
    FROM ai_messages m, jsonb_array_elements(m.parts) p
    WHERE m.role = 'assistant' AND p ->> 'type' = 'dynamic-tool' AND p ->> 'state' = 'output-error'
)
SELECT p.id AS subject, 'the proposal is ' || p.status || ' and its turn does not show it' AS what
FROM ai_proposals p JOIN ai_turns t ON t.id = p.turn_id
WHERE t.status NOT IN ('pending', 'running') AND NOT EXISTS (SELECT FROM cards c WHERE c.turn_id = p.turn_id AND c.id = p.id::text)
UNION ALL
SELECT c.turn_id, format('the turn shows the proposal %s, which is not its own', c.id)
FROM cards c
WHERE NOT EXISTS (SELECT FROM ai_proposals p WHERE p.turn_id = c.turn_id AND p.id::text = c.id)
UNION ALL
SELECT p.id, format('the proposal is %s, and its call says: %s', p.status, r.said)
FROM refused r JOIN ai_proposals p ON p.turn_id = r.turn_id AND p.tool_call_ref = r.call
WHERE p.status IN ('proposed', 'applying', 'applied')
