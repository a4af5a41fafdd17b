CREATE TABLE harbor_berths (
    id uuid PRIMARY KEY, name text NOT NULL, surveyed boolean NOT NULL DEFAULT false, code_sealed bytea NOT NULL
);
CREATE TRIGGER feed AFTER INSERT OR UPDATE OR DELETE ON harbor_berths FOR EACH ROW
EXECUTE FUNCTION feed_record('harbor.berth', 'harbor.berth');
