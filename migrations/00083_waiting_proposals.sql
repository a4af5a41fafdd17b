-- +goose Up
-- How many proposals of a principal wait is counted before each further one.
CREATE INDEX ai_proposals_waiting ON ai_proposals (principal_id) WHERE status = 'proposed';

-- +goose Down
DROP INDEX ai_proposals_waiting;
