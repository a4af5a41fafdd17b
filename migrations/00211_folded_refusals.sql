-- +goose Up
-- Calls outside of turns that were refused because the tool budget was used up. The first one of a caller and a tool has a row in
-- ai_tool_calls; those that follow within the window are counted here, and become one entry of the audit log when it is over.
CREATE TABLE ai_audit_refusals (
    principal_kind text        NOT NULL,
    principal_id   uuid        NOT NULL,
    -- The session or token that they came with.
    session_id     uuid        NOT NULL,
    transport      text        NOT NULL,
    -- Empty where calls of several tools are counted together.
    tool_name      text        NOT NULL,
    effect         text        NOT NULL,
    -- The call that has a row.
    call_id        uuid        NOT NULL,
    since          timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Those that have none: how many, and when the first and the last one came.
    more           bigint      NOT NULL DEFAULT 0,
    first_at       timestamptz,
    last_at        timestamptz,
    PRIMARY KEY (principal_id, principal_kind, session_id, transport, tool_name, effect)
) WITH (fillfactor = 50);
CREATE INDEX ai_audit_refusals_since ON ai_audit_refusals (since);

-- +goose Down
DROP TABLE ai_audit_refusals;
