-- +goose Up
-- What a person says about an answer that they got. It goes with its conversation.
CREATE TABLE ai_feedback (
    turn_id         uuid        PRIMARY KEY REFERENCES ai_turns ON DELETE CASCADE,
    conversation_id uuid        NOT NULL,
    person_id       uuid        NOT NULL,
    verdict         text        NOT NULL CHECK (verdict IN ('up', 'down')),
    comment         text        CHECK (length(comment) BETWEEN 1 AND 1000),
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ai_feedback_conversation ON ai_feedback (conversation_id);
CREATE INDEX ai_feedback_person ON ai_feedback (person_id);
CREATE INDEX ai_feedback_newest ON ai_feedback (updated_at);

-- Their other windows hear of it.
-- +goose StatementBegin
CREATE FUNCTION feed_feedback() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (OLD.person_id, 'conversation', OLD.conversation_id::text);
    ELSE
        INSERT INTO public.feed_events (person_id, kind, ref) VALUES (NEW.person_id, 'conversation', NEW.conversation_id::text);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_feedback AFTER INSERT OR UPDATE OR DELETE ON ai_feedback FOR EACH ROW EXECUTE FUNCTION feed_feedback();

-- +goose Down
DROP TABLE ai_feedback;
DROP FUNCTION feed_feedback();
