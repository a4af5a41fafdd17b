-- +goose NO TRANSACTION
-- +goose Up
-- How far a sweep has come that is repeated every few seconds, so that it looks at what has come since and not at everything.
CREATE TABLE IF NOT EXISTS sweeps (
    name    text        PRIMARY KEY,
    through timestamptz NOT NULL
);
INSERT INTO sweeps (name, through) VALUES ('abandoned tool calls', '-infinity'), ('finished turns', now() - interval '7 days') ON CONFLICT DO NOTHING;

-- Calls outside of turns, for the sweep that ends those of dead processes. Their status is no part of it: what changes often
-- stays out of indexes, so that a change of status touches none of them.
DROP INDEX CONCURRENTLY IF EXISTS ai_tool_calls_outside;
CREATE INDEX CONCURRENTLY ai_tool_calls_outside ON ai_tool_calls (created_at) WHERE turn_id IS NULL;

-- What somebody has decided about, beside what they have asked for themselves.
DROP INDEX CONCURRENTLY IF EXISTS ai_tool_calls_applier;
CREATE INDEX CONCURRENTLY ai_tool_calls_applier ON ai_tool_calls (applied_by_id, created_at, record) WHERE applied_by_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_decider;
CREATE INDEX CONCURRENTLY ai_proposals_decider ON ai_proposals (decided_by_id, created_at DESC, id DESC) WHERE decided_by_id IS NOT NULL;
-- Proposals for a second person, of whoever they are.
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_second;
CREATE INDEX CONCURRENTLY ai_proposals_second ON ai_proposals (created_at DESC, id DESC) WHERE two_person;

-- The turns of a conversation, and the one with an answer.
DROP INDEX CONCURRENTLY IF EXISTS ai_turns_conversation;
CREATE INDEX CONCURRENTLY ai_turns_conversation ON ai_turns (conversation_id, assistant_message_id);

-- +goose Down
DROP INDEX ai_turns_conversation;
DROP INDEX ai_proposals_second;
DROP INDEX ai_proposals_decider;
DROP INDEX ai_tool_calls_applier;
DROP INDEX ai_tool_calls_outside;
DROP TABLE sweeps;
