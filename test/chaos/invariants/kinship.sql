-- Which turns and conversations proposals belong to, and which conversations turns: as subject and the other id.
SELECT id AS subject, turn_id::text AS what FROM ai_proposals WHERE turn_id IS NOT NULL
UNION ALL
SELECT id, conversation_id::text FROM ai_turns
