-- +goose Up
-- A notice about an incident belongs to its timeline, so readers of the incident read that again. Deliveries are left out: one
-- notice can have thousands.
-- +goose StatementBegin
CREATE FUNCTION feed_incident_notice() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    VALUES ('incident.incident', NEW.about_id::text, 'record', 'incident.incident', NEW.about_id::text);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_record AFTER INSERT ON notifications FOR EACH ROW WHEN (NEW.about_kind = 'incident')
EXECUTE FUNCTION feed_incident_notice();

-- +goose Down
DROP TRIGGER feed_record ON notifications;
DROP FUNCTION feed_incident_notice();
