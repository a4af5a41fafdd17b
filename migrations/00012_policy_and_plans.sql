-- +goose Up
-- What administrators have set about tools. A tool without a row has the default policy, which is revision 1.
CREATE TABLE ai_tool_policies (
    tool_name       text        PRIMARY KEY,
    enabled         boolean     NOT NULL DEFAULT true,
    always_confirm  boolean     NOT NULL DEFAULT false,
    two_person      boolean     NOT NULL DEFAULT false,
    revision        bigint      NOT NULL DEFAULT 1,
    updated_by_id   uuid,
    updated_by_name text,
    updated_at      timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE ai_proposals
    -- Whether another person than the proposer has to apply it.
    ADD COLUMN two_person boolean NOT NULL DEFAULT false,
    -- Orders the proposals of a turn as their calls were made.
    ADD COLUMN call_order integer NOT NULL DEFAULT 0,
    -- Whether it was decided together with the rest of its plan: the plan's workflow carries it out then.
    ADD COLUMN planned    boolean NOT NULL DEFAULT false,
    -- Names of what the payload and the diff refer to by id.
    ADD COLUMN labels     jsonb;
ALTER TABLE ai_proposals DROP CONSTRAINT ai_proposals_status_check;
ALTER TABLE ai_proposals ADD CONSTRAINT ai_proposals_status_check
    CHECK (status IN ('proposed', 'applying', 'applied', 'failed', 'declined', 'expired', 'skipped'));
ALTER TABLE ai_proposals DROP CONSTRAINT ai_proposals_check;
ALTER TABLE ai_proposals ADD CONSTRAINT ai_proposals_check
    CHECK ((status IN ('applied', 'failed', 'declined', 'expired', 'skipped')) = (finished_at IS NOT NULL));
-- The second person is another one, whatever the code says.
ALTER TABLE ai_proposals ADD CONSTRAINT ai_proposals_two_person_check
    CHECK (NOT two_person OR status NOT IN ('applying', 'applied') OR (decided_by_kind = 'user' AND decided_by_id <> principal_id));
ALTER TABLE ai_tool_calls DROP CONSTRAINT ai_tool_calls_status_check;
ALTER TABLE ai_tool_calls ADD CONSTRAINT ai_tool_calls_status_check
    CHECK (status IN ('running', 'executed', 'failed', 'refused', 'proposed', 'applying', 'applied', 'declined', 'expired', 'skipped'));
CREATE INDEX ai_proposals_plan ON ai_proposals (turn_id, call_order) WHERE turn_id IS NOT NULL AND NOT automatic;

-- +goose Down
DROP INDEX ai_proposals_plan;
UPDATE ai_proposals SET status = 'failed' WHERE status = 'skipped';
UPDATE ai_tool_calls SET status = 'failed' WHERE status = 'skipped';
ALTER TABLE ai_tool_calls DROP CONSTRAINT ai_tool_calls_status_check;
ALTER TABLE ai_tool_calls ADD CONSTRAINT ai_tool_calls_status_check
    CHECK (status IN ('running', 'executed', 'failed', 'refused', 'proposed', 'applying', 'applied', 'declined', 'expired'));
ALTER TABLE ai_proposals DROP CONSTRAINT ai_proposals_two_person_check;
ALTER TABLE ai_proposals DROP CONSTRAINT ai_proposals_check;
ALTER TABLE ai_proposals ADD CONSTRAINT ai_proposals_check
    CHECK ((status IN ('applied', 'failed', 'declined', 'expired')) = (finished_at IS NOT NULL));
ALTER TABLE ai_proposals DROP CONSTRAINT ai_proposals_status_check;
ALTER TABLE ai_proposals ADD CONSTRAINT ai_proposals_status_check
    CHECK (status IN ('proposed', 'applying', 'applied', 'failed', 'declined', 'expired'));
ALTER TABLE ai_proposals
    DROP COLUMN two_person,
    DROP COLUMN call_order,
    DROP COLUMN planned,
    DROP COLUMN labels;
DROP TABLE ai_tool_policies;
