-- I1: no accepted message is lost. Every message of a person has its turn, every turn of a message its message.
SELECT m.turn_id AS subject, 'the message ' || m.id || ' has no turn' AS what
FROM ai_messages m
WHERE m.role = 'user' AND NOT EXISTS (SELECT 1 FROM ai_turns t WHERE t.id = m.turn_id AND t.message_id = m.id)
UNION ALL
SELECT t.id, 'the turn has no message'
FROM ai_turns t
WHERE t.kind = 'message' AND NOT EXISTS (SELECT 1 FROM ai_messages m WHERE m.turn_id = t.id AND m.role = 'user')
