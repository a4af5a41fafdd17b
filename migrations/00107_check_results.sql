-- +goose Up
-- One row a run. late_ms is how long after its slot a run began, held has a bit for each assertion, kept the values of the
-- fields that the check keeps for charts, NaN where there is none.
--
-- Rows lie in a ring of eight partitions, by the hour of their slot: there is always a place for a row, no table is made or
-- dropped while the product runs, and no statement locks the parent. Package check/history seals an hour into blocks soon
-- after it has ended and empties its partition, long before the ring comes round. A key of expressions cannot be that of a
-- parent, so (target, slot) is unique in each partition: ON CONFLICT DO NOTHING works, naming columns does not.
CREATE TABLE check_results (
    target  integer  NOT NULL,
    slot    bigint   NOT NULL,
    late_ms integer  NOT NULL,
    took_us integer  NOT NULL,
    held    bigint   NOT NULL,
    verdict smallint NOT NULL,
    cause   smallint NOT NULL,
    code    smallint NOT NULL,
    kept    real[]
) PARTITION BY LIST ((slot / 3600000 % 8));

-- A check.Report in full: of each run that did not pass, of the first that passed after a change, and of one an hour. In
-- a ring of partitions by the day of the slot, longer than any retention, unique as above.
CREATE TABLE check_reports (
    target integer NOT NULL,
    slot   bigint  NOT NULL,
    report jsonb   NOT NULL
) PARTITION BY LIST ((slot / 86400000 % 36));

-- Results live for hours and are then cut off as a whole, so that vacuuming them is work for nothing.
-- +goose StatementBegin
DO $$
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE format('CREATE TABLE check_results_%s PARTITION OF check_results FOR VALUES IN (%s) WITH (autovacuum_enabled = false)', part, part);
        EXECUTE format('CREATE UNIQUE INDEX check_results_%s_once ON check_results_%s (target, slot)', part, part);
    END LOOP;
    FOR part IN 0..35 LOOP
        EXECUTE format('CREATE TABLE check_reports_%s PARTITION OF check_reports FOR VALUES IN (%s)', part, part);
        EXECUTE format('CREATE UNIQUE INDEX check_reports_%s_once ON check_reports_%s (target, slot)', part, part);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- Takes sealed results away: those of a partition before a slot, if there are as many as were sealed and none has come
-- since. The processes' role may not truncate. A reader in the way makes it fail after a moment, to be tried again.
-- +goose StatementBegin
CREATE FUNCTION check_results_clear(part integer, before_slot bigint, sealed bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    old bigint;
    young bigint;
BEGIN
    -- Readers go on while it counts; who writes to an hour that is over waits.
    EXECUTE format('LOCK TABLE public.check_results_%s IN SHARE ROW EXCLUSIVE MODE', part);
    EXECUTE format('SELECT count(*) FILTER (WHERE slot < $1), count(*) FILTER (WHERE slot >= $1) FROM public.check_results_%s', part)
    INTO old, young USING before_slot;
    IF old <> sealed THEN
        RETURN false;
    END IF;
    IF young = 0 THEN
        EXECUTE format('TRUNCATE public.check_results_%s', part);
    ELSE
        EXECUTE format('DELETE FROM public.check_results_%s WHERE slot < $1', part) USING before_slot;
    END IF;
    RETURN true;
END
$$;
-- +goose StatementEnd

-- Takes the reports of a day away, which shares its partition with no other day that is kept.
-- +goose StatementBegin
CREATE FUNCTION check_reports_clear(day bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    young boolean;
BEGIN
    EXECUTE format('LOCK TABLE public.check_reports_%s IN SHARE ROW EXCLUSIVE MODE', day % 36);
    EXECUTE format('SELECT EXISTS (SELECT FROM public.check_reports_%s WHERE slot >= $1)', day % 36) INTO young USING (day + 1) * 86400000;
    IF young THEN
        EXECUTE format('DELETE FROM public.check_reports_%s WHERE slot < $1', day % 36) USING (day + 1) * 86400000;
    ELSE
        EXECUTE format('TRUNCATE public.check_reports_%s', day % 36);
    END IF;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION check_reports_clear(bigint);
DROP FUNCTION check_results_clear(integer, bigint, bigint);
DROP TABLE check_reports, check_results;
