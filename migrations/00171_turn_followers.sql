-- +goose Up
-- Which processes have readers of a turn that runs elsewhere: they are told when there is more to read, and nobody else is. It is not
-- logged: after a crash of the database each process says again what it follows.
CREATE UNLOGGED TABLE turn_followers (
    turn_id uuid        NOT NULL,
    process uuid        NOT NULL,
    since   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (turn_id, process)
);

-- +goose Down
DROP TABLE turn_followers;
