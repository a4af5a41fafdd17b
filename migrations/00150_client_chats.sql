-- +goose Up
-- What a person's client calls the conversation. The same name of another person is another conversation.
ALTER TABLE ai_conversations ADD COLUMN client_id text CHECK (length(client_id) BETWEEN 1 AND 128);
CREATE UNIQUE INDEX ai_conversations_client ON ai_conversations (owner_id, client_id) WHERE client_id IS NOT NULL;

-- Set when the person has written the message anew, or has asked for another answer: it is kept, and neither shown nor told
-- to the model. The message of a person gives its id away.
ALTER TABLE ai_messages ADD COLUMN replaced_at timestamptz;

-- +goose Down
ALTER TABLE ai_messages DROP COLUMN replaced_at;
DROP INDEX ai_conversations_client;
ALTER TABLE ai_conversations DROP COLUMN client_id;
