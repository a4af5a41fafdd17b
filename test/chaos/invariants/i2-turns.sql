-- I2: every turn ends, with an answer or a visible error. A turn that a person stopped may have said nothing yet. No
-- turn fails because a process died: where the model answers, the person gets the answer.
SELECT t.id AS subject, 'the turn is ' || t.status AS what
FROM ai_turns t
WHERE t.status NOT IN ('done', 'stopped', 'failed')
UNION ALL
SELECT t.id, 'the turn failed: ' || coalesce(t.error_message, 'without a word')
FROM ai_turns t
WHERE t.status = 'failed'
UNION ALL
SELECT t.id, 'nobody stopped the turn, and it is stopped'
FROM ai_turns t
WHERE t.status = 'stopped' AND t.stop_requested_at IS NULL
UNION ALL
SELECT t.id, 'the answer is blank'
FROM ai_turns t
JOIN ai_messages m ON m.turn_id = t.id AND m.role = 'assistant'
WHERE t.status <> 'stopped' AND m.content = ''
  AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(m.parts) p WHERE p ->> 'type' IN ('data-proposal', 'data-applied', 'data-error'))
