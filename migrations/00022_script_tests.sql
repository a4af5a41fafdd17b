-- +goose Up
-- The mailbox between who asks for a test of a script and who runs it: the request waits here, the answer is taken from
-- here. A row lives for the seconds of a test, so it needs no write-ahead log; after a crash of the server the table is
-- empty and the askers are told.
CREATE UNLOGGED TABLE script_tests (
    id         uuid        PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    principal  text        NOT NULL,
    status     text        NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done')),
    -- JSON, as bytes because what scripts say may hold NUL characters. The request is emptied when the test is done.
    request    bytea       NOT NULL,
    answer     bytea,
    CHECK ((status = 'done') = (answer IS NOT NULL))
);
CREATE INDEX script_tests_open ON script_tests (principal) WHERE status <> 'done';

-- +goose Down
DROP TABLE script_tests;
