-- +goose NO TRANSACTION
-- +goose Up
-- The next events of a lane, beside readers and writers. A build that was given up leaves an index that is not valid.
DROP INDEX CONCURRENTLY IF EXISTS events_lane;
CREATE INDEX CONCURRENTLY events_lane ON events (event_lane(subject), id);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS events_lane;
