-- +goose Up
-- What scripts may do, for the whole installation. Without the row, or with a document that cannot be read, scripts have
-- no network and the tightest limits.
CREATE TABLE script_policy (
    one             boolean     PRIMARY KEY DEFAULT true CHECK (one),
    document        jsonb       NOT NULL,
    revision        bigint      NOT NULL DEFAULT 1,
    updated_at      timestamptz NOT NULL DEFAULT now(),
    updated_by_kind text,
    updated_by_id   uuid
);
INSERT INTO script_policy (document) VALUES ('{
    "network": "off", "allow": [],
    "test": {"timeoutMs": 10000, "memoryBytes": 50331648, "outputBytes": 262144, "resultBytes": 1048576, "hostCalls": 100, "hostBytes": 8388608},
    "run": {"timeoutMs": 60000, "memoryBytes": 67108864, "outputBytes": 1048576, "resultBytes": 1048576, "hostCalls": 500, "hostBytes": 33554432}
}');

-- Every change of the policy. before is null when there was none that could be read.
CREATE TABLE script_policy_changes (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    revision   bigint      NOT NULL,
    actor_kind text        NOT NULL,
    actor_id   uuid        NOT NULL,
    before     jsonb,
    after      jsonb       NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION script_policy_changes_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'changes of the script policy stay on record';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER script_policy_changes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON script_policy_changes
FOR EACH STATEMENT EXECUTE FUNCTION script_policy_changes_stay();

-- +goose Down
DROP TABLE script_policy_changes, script_policy;
DROP FUNCTION script_policy_changes_stay();
