-- +goose NO TRANSACTION
-- +goose Up
-- What the reconciler looks for every two seconds, however many cards wait for a decision: proposals that are being applied,
-- that have expired, and that were decided a short while ago. The indexes are built beside readers and writers. A build that was
-- given up leaves an index that is not valid, so each is dropped before it is made.
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_applying;
CREATE INDEX CONCURRENTLY ai_proposals_applying ON ai_proposals (decided_at) WHERE status = 'applying';
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_expiring;
CREATE INDEX CONCURRENTLY ai_proposals_expiring ON ai_proposals (expires_at) WHERE status = 'proposed';
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_settled;
CREATE INDEX CONCURRENTLY ai_proposals_settled ON ai_proposals (finished_at)
    WHERE status IN ('applied', 'failed', 'declined') AND NOT automatic AND turn_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_settled;
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_expiring;
DROP INDEX CONCURRENTLY IF EXISTS ai_proposals_applying;
