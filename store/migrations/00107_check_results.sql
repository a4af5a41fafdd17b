-- +goose Up
-- One row a run, in partitions of an hour of the slot: package check/history makes, seals and drops them. late_ms is how long after its slot a run began, held has a bit for each
-- assertion, kept the values of the fields that the check keeps for charts.
CREATE TABLE check_results (
    target  integer  NOT NULL,
    slot    bigint   NOT NULL,
    late_ms integer  NOT NULL,
    took_us integer  NOT NULL,
    held    bigint   NOT NULL,
    verdict smallint NOT NULL,
    cause   smallint NOT NULL,
    code    smallint NOT NULL,
    kept    real[],
    PRIMARY KEY (target, slot)
) PARTITION BY RANGE (slot);

-- A check.Report in full: of each run that did not pass, of the first that passed after a change, and of one an hour. In
-- partitions of a day of the slot.
CREATE TABLE check_reports (
    target integer NOT NULL,
    slot   bigint  NOT NULL,
    report jsonb   NOT NULL,
    PRIMARY KEY (target, slot)
) PARTITION BY RANGE (slot);

-- +goose Down
DROP TABLE check_reports, check_results;
