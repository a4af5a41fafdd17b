-- +goose Up
-- The mailbox of tests of scripts takes calls of tools, too. A call only computes, so it may be begun a second time when the process
-- that began it has died; a test may not.
ALTER TABLE script_tests
    ADD COLUMN kind     text     NOT NULL DEFAULT 'test' CHECK (kind IN ('test', 'dry_run', 'tool_call')),
    ADD COLUMN attempts smallint NOT NULL DEFAULT 0;
DROP INDEX script_tests_open;
CREATE INDEX script_tests_open ON script_tests (kind, principal) WHERE status <> 'done';

-- +goose Down
DELETE FROM script_tests WHERE kind <> 'test';
DROP INDEX script_tests_open;
ALTER TABLE script_tests DROP COLUMN kind, DROP COLUMN attempts;
CREATE INDEX script_tests_open ON script_tests (principal) WHERE status <> 'done';
