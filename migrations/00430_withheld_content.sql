-- +goose Up
-- Content of a conversation that a provider has refused, by a hash: requests to this connection leave it out.
CREATE TABLE ai_withheld_content (
    conversation_id uuid NOT NULL REFERENCES ai_conversations ON DELETE CASCADE,
    connection_id uuid NOT NULL,
    content_key text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, connection_id, content_key)
);

-- +goose Down
DROP TABLE ai_withheld_content;
