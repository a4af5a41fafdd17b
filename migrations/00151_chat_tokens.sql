-- +goose Up
-- A chat token is a sign-in of a person for chat clients alone, which nobody renews: it ends when it expires.
ALTER TABLE sessions
    ADD COLUMN kind text NOT NULL DEFAULT 'sign-in' CHECK (kind IN ('sign-in', 'chat')),
    ADD COLUMN name text NOT NULL DEFAULT '' CHECK (length(name) <= 200);

-- Which messages of a person a client of the OpenAI protocol has sent when it sent this one, which is how the conversation is
-- found to which the next one belongs. A message that was replaced is none that a client goes on from.
CREATE TABLE ai_branches (
    conversation_id uuid        NOT NULL REFERENCES ai_conversations ON DELETE CASCADE,
    message_id      text        NOT NULL,
    owner_id        uuid        NOT NULL,
    -- Over the texts of the person up to this message, and over the answer to it once there is one.
    asked_hash      bytea       NOT NULL CHECK (length(asked_hash) = 32),
    answer_hash     bytea       CHECK (length(answer_hash) = 32),
    at              timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, message_id)
);
CREATE INDEX ai_branches_asked ON ai_branches (owner_id, asked_hash);

-- +goose Down
DROP TABLE ai_branches;
DELETE FROM sessions WHERE kind <> 'sign-in';
ALTER TABLE sessions DROP COLUMN name, DROP COLUMN kind;
