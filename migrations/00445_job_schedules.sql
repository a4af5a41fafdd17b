-- +goose Up
-- Cron schedules that heartbeat checks have had, each from from_ms up to that of the next one, so that a due time is judged by the
-- schedule that was in force. A check that no longer has one ends with a row without cron.
CREATE TABLE check_job_schedules (
    check_id      uuid    NOT NULL REFERENCES health_checks ON DELETE CASCADE,
    from_ms       bigint  NOT NULL,
    cron          text    NOT NULL,
    time_zone     text    NOT NULL,
    grace_seconds integer NOT NULL,
    PRIMARY KEY (check_id, from_ms)
);

-- What a definition says: no row for a check that has no schedule.
-- +goose StatementBegin
CREATE FUNCTION check_job_schedule(strategy text, definition jsonb)
RETURNS TABLE (cron text, time_zone text, grace_seconds integer) LANGUAGE sql IMMUTABLE AS $$
    SELECT c ->> 'cron', coalesce(c ->> 'timeZone', ''),
        (CASE jsonb_typeof(c -> 'graceSeconds') WHEN 'number' THEN (c ->> 'graceSeconds')::numeric ELSE 60 END)::integer
    FROM (SELECT definition -> 'collectors' -> 0 -> 'config' AS c) j
    WHERE strategy = 'healthcheck-heartbeat.heartbeat' AND coalesce(c ->> 'cron', '') <> ''
$$;

CREATE FUNCTION check_job_scheduled() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    had check_job_schedules;
    has record;
BEGIN
    SELECT * INTO had FROM check_job_schedules WHERE check_id = NEW.id ORDER BY from_ms DESC LIMIT 1;
    SELECT * INTO has FROM check_job_schedule(NEW.strategy, NEW.definition);
    IF coalesce(had.cron, '') = coalesce(has.cron, '') AND (coalesce(has.cron, '') = ''
        OR had.time_zone = has.time_zone AND had.grace_seconds = has.grace_seconds) THEN
        RETURN NULL;
    END IF;
    INSERT INTO check_job_schedules (check_id, from_ms, cron, time_zone, grace_seconds)
    VALUES (NEW.id, greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint, had.from_ms + 1),
        coalesce(has.cron, ''), coalesce(has.time_zone, ''), coalesce(has.grace_seconds, 0));
    DELETE FROM check_job_schedules s WHERE s.check_id = NEW.id AND s.from_ms < (
        SELECT o.from_ms FROM check_job_schedules o WHERE o.check_id = NEW.id ORDER BY o.from_ms DESC OFFSET 499 LIMIT 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER health_checks_scheduled AFTER INSERT OR UPDATE OF strategy, definition ON health_checks FOR EACH ROW
    EXECUTE FUNCTION check_job_scheduled();

-- The schedules of today count for the time before, too: of earlier ones nothing is known.
INSERT INTO check_job_schedules (check_id, from_ms, cron, time_zone, grace_seconds)
SELECT h.id, 0, s.cron, s.time_zone, s.grace_seconds FROM health_checks h, check_job_schedule(h.strategy, h.definition) s;

-- +goose Down
DROP TRIGGER health_checks_scheduled ON health_checks;
DROP FUNCTION check_job_scheduled, check_job_schedule;
DROP TABLE check_job_schedules;
