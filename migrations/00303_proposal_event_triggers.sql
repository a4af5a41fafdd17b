-- +goose NO TRANSACTION
-- +goose Up
-- One by one, so that none waits for a lock while it holds another.
CREATE OR REPLACE TRIGGER event_proposal_made AFTER INSERT ON ai_proposals FOR EACH ROW
WHEN (NEW.status = 'proposed' AND NOT NEW.automatic) EXECUTE FUNCTION event_proposal();
CREATE OR REPLACE TRIGGER event_proposal_ends AFTER UPDATE OF status ON ai_proposals FOR EACH ROW
WHEN (OLD.status = 'proposed' AND NEW.status IN ('applying', 'declined', 'expired')) EXECUTE FUNCTION event_proposal();
CREATE OR REPLACE TRIGGER event_tool_call_ends AFTER UPDATE OF status ON ai_tool_calls FOR EACH ROW
WHEN (OLD.status IN ('running', 'applying') AND NEW.status IN ('executed', 'applied', 'failed')) EXECUTE FUNCTION event_tool_call();

-- +goose Down
DROP TRIGGER event_tool_call_ends ON ai_tool_calls;
DROP TRIGGER event_proposal_ends ON ai_proposals;
DROP TRIGGER event_proposal_made ON ai_proposals;
