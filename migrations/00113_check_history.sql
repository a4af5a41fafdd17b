-- +goose Up
-- The results of a target in an hour (slot / 3600000), packed by package check/history, oldest first.
CREATE TABLE check_blocks (
    target integer NOT NULL,
    hour   integer NOT NULL,
    data   bytea   NOT NULL,
    PRIMARY KEY (target, hour)
);
-- It is packed already.
ALTER TABLE check_blocks ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX check_blocks_hour ON check_blocks USING brin (hour) WITH (pages_per_range = 16);

-- What an hour of a target amounts to. took_* are of the runs that the target answered; detail has their distribution
-- and the failures by cause. Missed slots and time in each status are not repeated here: check_gaps and
-- check_transitions are kept as long as daily sums, and may be written late.
CREATE TABLE check_hours (
    target   integer NOT NULL,
    hour     integer NOT NULL,
    passed   integer NOT NULL,
    failed   integer NOT NULL,
    errored  integer NOT NULL,
    skipped  integer NOT NULL,
    answered integer NOT NULL,
    took_sum bigint  NOT NULL,
    took_min integer NOT NULL,
    took_max integer NOT NULL,
    detail   bytea   NOT NULL,
    PRIMARY KEY (target, hour)
);
CREATE INDEX check_hours_hour ON check_hours USING brin (hour) WITH (pages_per_range = 16);

-- The same of a day (slot / 86400000, of UTC).
CREATE TABLE check_days (
    target   integer NOT NULL,
    day      integer NOT NULL,
    passed   integer NOT NULL,
    failed   integer NOT NULL,
    errored  integer NOT NULL,
    skipped  integer NOT NULL,
    answered integer NOT NULL,
    took_sum bigint  NOT NULL,
    took_min integer NOT NULL,
    took_max integer NOT NULL,
    detail   bytea   NOT NULL,
    PRIMARY KEY (target, day)
);
CREATE INDEX check_days_day ON check_days USING brin (day) WITH (pages_per_range = 16);

-- Days whose hours are added up in check_days. One in which a late result came is taken out, to be added up again.
CREATE TABLE check_days_done (
    day integer PRIMARY KEY
);

-- How far the sealing of a partition of check_results is: results before before_slot of targets up to target are in blocks,
-- sealed of them. Who seals holds the row.
CREATE TABLE check_seals (
    part        smallint PRIMARY KEY,
    before_slot bigint   NOT NULL,
    target      integer  NOT NULL,
    sealed      bigint   NOT NULL
);

-- What boards show of a system: its last days and hours, packed, with what is sealed up to hour through.
CREATE TABLE check_boards (
    system_id uuid    PRIMARY KEY,
    through   integer NOT NULL,
    days      bytea   NOT NULL,
    hours     bytea   NOT NULL
) WITH (fillfactor = 50);

-- How long history is kept, in days.
CREATE TABLE check_retention (
    one         boolean  PRIMARY KEY DEFAULT true CHECK (one),
    raw_days    smallint NOT NULL DEFAULT 7 CHECK (raw_days BETWEEN 1 AND 30),
    hourly_days smallint NOT NULL DEFAULT 30 CHECK (hourly_days BETWEEN 7 AND 90),
    daily_days  smallint NOT NULL DEFAULT 365 CHECK (daily_days BETWEEN 30 AND 1095)
);
INSERT INTO check_retention DEFAULT VALUES;

-- +goose Down
DROP TABLE check_retention, check_boards, check_seals, check_days_done, check_days, check_hours, check_blocks;
