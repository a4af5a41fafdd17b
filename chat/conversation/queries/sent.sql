-- name: SentCandidates :many
-- The conversations of a client that hold most of the messages that it sends, by the newest of each. The number of
-- hashes bounds the work.
SELECT f.conversation_id FROM (
    SELECT b.conversation_id, b.message_id, b.at
    FROM (SELECT DISTINCT unnest(@questions::bytea[]) AS hash) s
    CROSS JOIN LATERAL (SELECT m.conversation_id, m.message_id, m.at FROM ai_client_messages m
                        WHERE m.client_id = @client_id::uuid AND m.question_hash = s.hash ORDER BY m.at DESC LIMIT 20) b
    UNION
    SELECT b.conversation_id, b.message_id, b.at
    FROM (SELECT DISTINCT unnest(@answers::bytea[]) AS hash) s
    CROSS JOIN LATERAL (SELECT m.conversation_id, m.message_id, m.at FROM ai_client_messages m
                        WHERE m.client_id = @client_id::uuid AND m.answer_hash = s.hash ORDER BY m.at DESC LIMIT 20) b
    UNION
    SELECT m.conversation_id, m.message_id, m.at
    FROM ai_turns t JOIN ai_client_messages m ON m.conversation_id = t.conversation_id AND m.message_id = t.message_id
    WHERE t.id = ANY(@turns::uuid[]) AND m.client_id = @client_id::uuid
) f
JOIN ai_conversations c ON c.id = f.conversation_id AND c.owner_id = @owner_id::uuid AND c.archived_at IS NULL
GROUP BY f.conversation_id ORDER BY count(*) DESC, max(f.at) DESC, f.conversation_id LIMIT 8;

-- name: SentExchanges :many
-- The newest messages of the person in these conversations, in order, with the hashes of those that clients have sent.
SELECT m.conversation_id, m.position, m.id, m.turn_id, b.client_id, b.question_hash, b.answer_hash,
       coalesce(h.asked, '{}')::bytea[] AS told_asked, coalesce(h.answered, '{}')::bytea[] AS told_answered, m.created_at
FROM (SELECT unnest(@conversations::uuid[]) AS id) c
CROSS JOIN LATERAL (SELECT l.conversation_id, l.position, l.id, l.turn_id, l.created_at FROM ai_messages l
                    WHERE l.conversation_id = c.id AND l.role = 'user' AND l.replaced_at IS NULL
                    ORDER BY l.position DESC LIMIT @most::integer) m
LEFT JOIN ai_client_messages b ON b.conversation_id = m.conversation_id AND b.message_id = m.id
LEFT JOIN ai_turn_history h ON h.turn_id = m.turn_id
ORDER BY m.conversation_id, m.position;

-- name: RecordClientMessage :exec
INSERT INTO ai_client_messages (conversation_id, message_id, owner_id, client_id, question_hash)
VALUES (@conversation_id, @message_id, @owner_id, @client_id, @question_hash)
ON CONFLICT (conversation_id, message_id)
DO UPDATE SET client_id = excluded.client_id, question_hash = excluded.question_hash, answer_hash = NULL, at = now();

-- name: StoreClientHistory :exec
INSERT INTO ai_turn_history (turn_id, messages, left_out, asked, answered) VALUES (@turn_id, @messages, @left_out, @asked, @answered);

-- name: RecordClientAnswer :exec
UPDATE ai_client_messages SET answer_hash = @answer_hash WHERE conversation_id = @conversation_id AND message_id = @message_id;

-- name: ConversationBegun :one
-- Whether a conversation has a message of the person besides this one and replaced ones.
SELECT EXISTS (SELECT FROM ai_messages
    WHERE conversation_id = @conversation_id AND role = 'user' AND replaced_at IS NULL AND id <> @message_id::text) AS begun;

-- name: MessageTexts :many
SELECT id, content FROM ai_messages WHERE conversation_id = @conversation_id AND id = ANY(@ids::text[]) AND replaced_at IS NULL;
