-- +goose Up
-- What clients of the OpenAI protocol have sent, and what they were answered, each as a hash over one message. It finds the conversation to
-- which a history that a client sends belongs. The client is the sign-in of a person's chat token, or an application.
CREATE TABLE ai_client_messages (
    conversation_id uuid        NOT NULL REFERENCES ai_conversations ON DELETE CASCADE,
    message_id      text        NOT NULL,
    owner_id        uuid        NOT NULL,
    client_id       uuid        NOT NULL,
    question_hash   bytea       NOT NULL CHECK (length(question_hash) = 32),
    answer_hash     bytea       CHECK (length(answer_hash) = 32),
    at              timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, message_id)
);
CREATE INDEX ai_client_messages_question ON ai_client_messages (client_id, question_hash, at DESC);
CREATE INDEX ai_client_messages_answer ON ai_client_messages (client_id, answer_hash, at DESC) WHERE answer_hash IS NOT NULL;

-- Conversations of the version before are found too. It goes on to write ai_branches, which nothing reads any more.
INSERT INTO ai_client_messages (conversation_id, message_id, owner_id, client_id, question_hash, answer_hash, at)
SELECT b.conversation_id, b.message_id, b.owner_id, CASE t.principal_kind WHEN 'application' THEN t.principal_id ELSE t.session_id END,
       sha256(convert_to(btrim(regexp_replace(m.content, '\s+', ' ', 'g')), 'UTF8')), b.answer_hash, b.at
FROM ai_branches b
JOIN ai_messages m ON m.conversation_id = b.conversation_id AND m.id = b.message_id
JOIN ai_turns t ON t.id = m.turn_id;

-- What a client says was said before the message of a turn, as far as nothing is known of it here. The model is shown it as data.
CREATE TABLE ai_turn_history (
    turn_id  uuid    PRIMARY KEY REFERENCES ai_turns ON DELETE CASCADE,
    -- [{"role", "text"}], cut to what a turn takes.
    messages jsonb   NOT NULL,
    -- How many messages are not among these.
    left_out integer NOT NULL CHECK (left_out >= 0),
    -- Hashes of the questions and answers, by which they are known when they come again. An empty one is that of no message.
    asked    bytea[] NOT NULL,
    answered bytea[] NOT NULL,
    CHECK (cardinality(asked) = cardinality(answered))
);

-- +goose Down
DROP TABLE ai_turn_history;
DROP TABLE ai_client_messages;
