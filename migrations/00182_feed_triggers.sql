-- +goose NO TRANSACTION
-- +goose Up
-- One by one, so that none waits for a lock while it holds another. Those that are there from an attempt that was cut short are replaced.
CREATE OR REPLACE TRIGGER feed_turn_begins AFTER INSERT ON ai_turns FOR EACH ROW
WHEN (NEW.principal_kind = 'user') EXECUTE FUNCTION feed_turn();
CREATE OR REPLACE TRIGGER feed_turn_ends AFTER UPDATE OF status ON ai_turns FOR EACH ROW
WHEN (NEW.principal_kind = 'user' AND NEW.finished_at IS NOT NULL AND OLD.finished_at IS NULL) EXECUTE FUNCTION feed_turn();
CREATE OR REPLACE TRIGGER feed_conversation_begins AFTER INSERT OR DELETE ON ai_conversations FOR EACH ROW EXECUTE FUNCTION feed_conversation();
CREATE OR REPLACE TRIGGER feed_conversation_changes AFTER UPDATE ON ai_conversations FOR EACH ROW
WHEN ((OLD.title, OLD.archived_at, OLD.permission_mode, OLD.connection_id, OLD.model) IS DISTINCT FROM
      (NEW.title, NEW.archived_at, NEW.permission_mode, NEW.connection_id, NEW.model)) EXECUTE FUNCTION feed_conversation();
CREATE OR REPLACE TRIGGER feed_proposal_made AFTER INSERT ON ai_proposals FOR EACH ROW EXECUTE FUNCTION feed_proposal();
CREATE OR REPLACE TRIGGER feed_proposal_changes AFTER UPDATE OF status ON ai_proposals FOR EACH ROW
WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION feed_proposal();
CREATE OR REPLACE TRIGGER feed_change AFTER INSERT ON ai_audit_entries FOR EACH ROW
WHEN (NEW.version = 2 AND NEW.object_type IN ('catalog.system', 'catalog.group', 'catalog.environment', 'auth.team', 'ai.memory', 'ai.skill')
      AND NEW.object_id <> '' AND NEW.action <> 'ran') EXECUTE FUNCTION feed_change();
CREATE OR REPLACE TRIGGER feed_gone AFTER DELETE ON catalog_systems FOR EACH ROW EXECUTE FUNCTION feed_gone('catalog.system');
CREATE OR REPLACE TRIGGER feed_gone AFTER DELETE ON catalog_groups FOR EACH ROW EXECUTE FUNCTION feed_gone('catalog.group');
CREATE OR REPLACE TRIGGER feed_gone AFTER DELETE ON catalog_environments FOR EACH ROW EXECUTE FUNCTION feed_gone('catalog.environment');
CREATE OR REPLACE TRIGGER feed_gone AFTER DELETE ON ai_memory FOR EACH ROW EXECUTE FUNCTION feed_memory_gone();

-- +goose Down
DROP TRIGGER feed_gone ON ai_memory;
DROP TRIGGER feed_gone ON catalog_environments;
DROP TRIGGER feed_gone ON catalog_groups;
DROP TRIGGER feed_gone ON catalog_systems;
DROP TRIGGER feed_change ON ai_audit_entries;
DROP TRIGGER feed_proposal_changes ON ai_proposals;
DROP TRIGGER feed_proposal_made ON ai_proposals;
DROP TRIGGER feed_conversation_changes ON ai_conversations;
DROP TRIGGER feed_conversation_begins ON ai_conversations;
DROP TRIGGER feed_turn_ends ON ai_turns;
DROP TRIGGER feed_turn_begins ON ai_turns;
