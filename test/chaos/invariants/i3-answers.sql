-- I3: exactly one assistant message per turn, under the id that was promised, and it says how the turn ended.
SELECT t.id AS subject, 'the turn has ' || count(m.id) || ' answers' AS what
FROM ai_turns t
LEFT JOIN ai_messages m ON m.turn_id = t.id AND m.role = 'assistant'
GROUP BY t.id HAVING count(m.id) <> 1
UNION ALL
SELECT t.id, 'the answer is ' || m.id || ' instead of ' || t.assistant_message_id
FROM ai_turns t
JOIN ai_messages m ON m.turn_id = t.id AND m.role = 'assistant'
WHERE m.id <> t.assistant_message_id OR m.conversation_id <> t.conversation_id
UNION ALL
SELECT t.id, 'the answer says ' || coalesce(m.metadata ->> 'status', 'nothing') || ' and the turn ' || t.status
FROM ai_turns t
JOIN ai_messages m ON m.turn_id = t.id AND m.role = 'assistant'
WHERE m.metadata ->> 'status' IS DISTINCT FROM t.status
UNION ALL
SELECT e.turn_id, 'the stream has ' || count(*) || ' ends'
FROM turn_events e
WHERE e.chunk LIKE '{"type":"finish",%' OR e.chunk LIKE '{"type":"abort",%'
GROUP BY e.turn_id HAVING count(*) <> 1
