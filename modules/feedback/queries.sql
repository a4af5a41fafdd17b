-- name: LockAnswer :one
-- Locks a turn of the person's conversations against concurrent feedback. answered reports that its answer exists and
-- was not replaced.
SELECT t.conversation_id, t.finished_at IS NULL AS running,
       EXISTS (SELECT FROM ai_messages m WHERE m.turn_id = t.id AND m.role = 'assistant' AND m.replaced_at IS NULL) AS answered
FROM ai_turns t
JOIN ai_conversations c ON c.id = t.conversation_id
WHERE t.id = @turn_id AND c.owner_id = @person_id
FOR NO KEY UPDATE OF t;

-- name: Feedback :one
SELECT * FROM ai_feedback WHERE turn_id = $1;

-- name: PutFeedback :one
INSERT INTO ai_feedback AS f (turn_id, conversation_id, person_id, verdict, comment)
VALUES (@turn_id, @conversation_id, @person_id, @verdict, sqlc.narg('comment')::text)
ON CONFLICT (turn_id) DO UPDATE SET verdict = excluded.verdict, comment = excluded.comment, updated_at = now()
RETURNING *;

-- name: DeleteFeedback :execrows
DELETE FROM ai_feedback WHERE turn_id = $1;

-- name: FeedbackInConversation :many
SELECT f.turn_id, f.verdict, coalesce(f.comment, '')::text AS comment, f.updated_at
FROM ai_feedback f
JOIN ai_conversations c ON c.id = f.conversation_id
WHERE f.conversation_id = @conversation_id AND c.owner_id = @person_id
ORDER BY f.created_at, f.turn_id;

-- name: OwnsConversation :one
SELECT EXISTS (SELECT FROM ai_conversations c WHERE c.id = @id AND c.owner_id = @person_id);

-- name: FeedbackOfModels :many
-- Counts recent ratings by model, the most first.
SELECT t.model, count(*) FILTER (WHERE f.verdict = 'up') AS up, count(*) FILTER (WHERE f.verdict = 'down') AS down,
       count(*) FILTER (WHERE f.comment IS NOT NULL) AS comments
FROM ai_feedback f
JOIN ai_turns t ON t.id = f.turn_id
WHERE f.updated_at >= now() - make_interval(days => @days::integer)
GROUP BY t.model ORDER BY count(*) DESC, t.model LIMIT 50;

-- name: CountOfPerson :one
SELECT count(*) FROM ai_feedback WHERE person_id = $1;

-- name: EraseOfPerson :execrows
DELETE FROM ai_feedback WHERE person_id = $1;
