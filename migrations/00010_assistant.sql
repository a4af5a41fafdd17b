-- +goose Up
CREATE TABLE ai_conversations (
    id              uuid        PRIMARY KEY,
    owner_id        uuid        NOT NULL,
    title           text        CHECK (length(title) BETWEEN 1 AND 200),
    connection_id   uuid,
    model           text,
    permission_mode text        NOT NULL DEFAULT 'approve' CHECK (permission_mode IN ('approve', 'auto')),
    archived_at     timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ai_conversations_owner ON ai_conversations (owner_id, updated_at DESC) WHERE archived_at IS NULL;

-- One turn: a person's message, or a decision about a proposal, and the assistant's answer to it.
CREATE TABLE ai_turns (
    id                   uuid        PRIMARY KEY,
    conversation_id      uuid        NOT NULL REFERENCES ai_conversations ON DELETE CASCADE,
    kind                 text        NOT NULL CHECK (kind IN ('message', 'decision')),
    message_id           text,
    request_hash         bytea,
    proposal_id          uuid,
    decision             text        CHECK (decision IN ('apply', 'decline')),
    assistant_message_id text        NOT NULL,
    status               text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed', 'stopped')),
    principal_kind       text        NOT NULL,
    principal_id         uuid        NOT NULL,
    session_id           uuid        NOT NULL,
    connection_id        uuid        NOT NULL,
    model                text        NOT NULL,
    permission_mode      text        NOT NULL,
    time_zone            text,
    -- Raised by each process that takes the turn over; a write that carries an older claim is refused.
    claim                integer     NOT NULL DEFAULT 0,
    tainted              boolean     NOT NULL DEFAULT false,
    stop_requested_at    timestamptz,
    error_code           text,
    error_message        text,
    input_tokens         integer     NOT NULL DEFAULT 0,
    output_tokens        integer     NOT NULL DEFAULT 0,
    created_at           timestamptz NOT NULL DEFAULT now(),
    finished_at          timestamptz,
    CHECK ((kind = 'message') = (message_id IS NOT NULL)),
    CHECK ((kind = 'decision') = (proposal_id IS NOT NULL AND decision IS NOT NULL)),
    CHECK ((status IN ('done', 'failed', 'stopped')) = (finished_at IS NOT NULL))
);
-- A conversation answers one message at a time.
CREATE UNIQUE INDEX ai_turns_active ON ai_turns (conversation_id) WHERE status IN ('pending', 'running');
CREATE UNIQUE INDEX ai_turns_message ON ai_turns (conversation_id, message_id) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX ai_turns_decision ON ai_turns (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE INDEX ai_turns_spent ON ai_turns (principal_id, connection_id, finished_at);
CREATE INDEX ai_turns_finished ON ai_turns (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX ai_turns_unfinished ON ai_turns (created_at) WHERE status IN ('pending', 'running');

CREATE TABLE ai_messages (
    conversation_id uuid        NOT NULL REFERENCES ai_conversations ON DELETE CASCADE,
    id              text        NOT NULL,
    turn_id         uuid        NOT NULL,
    position        bigint      GENERATED ALWAYS AS IDENTITY,
    role            text        NOT NULL CHECK (role IN ('user', 'assistant')),
    content         text        NOT NULL,
    -- The message in the shape of the AI SDK's UIMessage, as the client reduces it from the stream.
    parts           jsonb       NOT NULL,
    metadata        jsonb       NOT NULL,
    -- What the model is shown of this message in later turns; null means the content as text.
    model_messages  jsonb,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (conversation_id, id)
);
-- Exactly one message of each role in a turn.
CREATE UNIQUE INDEX ai_messages_turn ON ai_messages (turn_id, role);
CREATE INDEX ai_messages_order ON ai_messages (conversation_id, position);

-- What each step of a turn has produced: call 0 is the model call, call n the n-th tool call it asked for. A repeated
-- step finds its record. No foreign key: it would lock the turn on every record.
CREATE TABLE turn_steps (
    turn_id    uuid        NOT NULL,
    step       smallint    NOT NULL,
    call       smallint    NOT NULL,
    result     jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (turn_id, step, call)
);

-- The stream of a running turn, as chunks of the UI message stream. The claim is the high half of seq.
CREATE TABLE turn_events (
    turn_id uuid     NOT NULL,
    seq     bigint   NOT NULL,
    step    smallint NOT NULL,
    chunk   text     NOT NULL,
    PRIMARY KEY (turn_id, seq)
);

-- One row for each tool call, on whatever transport: the audit record, and what the tool budget counts.
CREATE TABLE ai_tool_calls (
    id              uuid        PRIMARY KEY,
    principal_kind  text        NOT NULL,
    principal_id    uuid        NOT NULL,
    transport       text        NOT NULL CHECK (transport IN ('chat', 'mcp', 'automation', 'api')),
    tool_name       text        NOT NULL,
    effect          text        NOT NULL,
    args_hash       text        NOT NULL,
    status          text        NOT NULL CHECK (status IN ('running', 'executed', 'failed', 'refused', 'proposed', 'applying', 'applied', 'declined', 'expired')),
    error_code      text,
    -- Counts the principal's calls, without gaps. Null for a call that was refused because the budget was used up: it
    -- must not use up more.
    number          bigint,
    turn_id         uuid,
    step            smallint,
    call            smallint,
    applied_by_kind text,
    applied_by_id   uuid,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at     timestamptz
);
CREATE UNIQUE INDEX ai_tool_calls_turn ON ai_tool_calls (turn_id, step, call) WHERE turn_id IS NOT NULL;
CREATE UNIQUE INDEX ai_tool_calls_number ON ai_tool_calls (principal_id, number) WHERE number IS NOT NULL;
CREATE INDEX ai_tool_calls_principal ON ai_tool_calls (principal_id, created_at);
CREATE INDEX ai_tool_calls_created ON ai_tool_calls (created_at);

-- What a write tool would change, waiting for a decision. The id is that of its tool call.
CREATE TABLE ai_proposals (
    id                 uuid        PRIMARY KEY REFERENCES ai_tool_calls,
    conversation_id    uuid,
    turn_id            uuid,
    tool_call_ref      text,
    principal_kind     text        NOT NULL,
    principal_id       uuid        NOT NULL,
    principal_name     text        NOT NULL,
    tool_name          text        NOT NULL,
    effect             text        NOT NULL CHECK (effect IN ('mutate', 'destructive')),
    summary            text        NOT NULL,
    payload            jsonb       NOT NULL,
    diff               jsonb,
    revision           text        NOT NULL DEFAULT '',
    why_confirm        text,
    automatic          boolean     NOT NULL DEFAULT false,
    -- The token's nonce is derived from this salt with a server key, so a copy of the database holds no token.
    nonce_salt         bytea       NOT NULL,
    status             text        NOT NULL DEFAULT 'proposed' CHECK (status IN ('proposed', 'applying', 'applied', 'failed', 'declined', 'expired')),
    expires_at         timestamptz NOT NULL,
    decided_by_kind    text,
    decided_by_id      uuid,
    decided_by_name    text,
    decided_session_id uuid,
    decided_at         timestamptz,
    apply_key          text,
    result             jsonb,
    error              jsonb,
    created_at         timestamptz NOT NULL DEFAULT now(),
    finished_at        timestamptz,
    CHECK ((status IN ('applied', 'failed', 'declined', 'expired')) = (finished_at IS NOT NULL))
);
CREATE INDEX ai_proposals_principal ON ai_proposals (principal_id, created_at DESC);
CREATE INDEX ai_proposals_conversation ON ai_proposals (conversation_id);
CREATE INDEX ai_proposals_open ON ai_proposals (created_at) WHERE status IN ('proposed', 'applying');

-- +goose Down
DROP TABLE ai_proposals;
DROP TABLE ai_tool_calls;
DROP TABLE turn_events;
DROP TABLE turn_steps;
DROP TABLE ai_messages;
DROP TABLE ai_turns;
DROP TABLE ai_conversations;
