-- +goose Up
CREATE TABLE ai_connections (
    id                         uuid        PRIMARY KEY,
    name                       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    kind                       text        NOT NULL CHECK (kind IN ('openai-compatible', 'demo')),
    base_url                   text        NOT NULL CHECK ((kind = 'demo') = (base_url = '')),
    -- AEAD ciphertext with the row's id as associated data; null means that no key is sent.
    api_key_sealed             bytea,
    default_model              text        NOT NULL CHECK (default_model <> ''),
    available_models           text[]      NOT NULL DEFAULT '{}',
    context_window_tokens      integer     CHECK (context_window_tokens > 0),
    model_family               text        NOT NULL DEFAULT 'generic' CHECK (model_family IN ('generic', 'anthropic', 'openai')),
    spend_token_budget         bigint      CHECK (spend_token_budget > 0),
    spend_window_minutes       integer     CHECK (spend_window_minutes > 0),
    disable_topical_classifier boolean     NOT NULL DEFAULT false,
    enabled                    boolean     NOT NULL DEFAULT true,
    revision                   bigint      NOT NULL DEFAULT 1,
    created_at                 timestamptz NOT NULL DEFAULT now(),
    updated_at                 timestamptz NOT NULL DEFAULT now(),
    CHECK ((spend_token_budget IS NULL) = (spend_window_minutes IS NULL))
);
CREATE UNIQUE INDEX ai_connections_name ON ai_connections (lower(name));
CREATE UNIQUE INDEX ai_connections_demo ON ai_connections (kind) WHERE kind = 'demo';

-- +goose Down
DROP TABLE ai_connections;
