-- +goose Up
-- What people see of a model call when they look into a turn. A call begins so long before it is settled as it took.
ALTER TABLE ai_spend
    ADD COLUMN model       text,
    ADD COLUMN took_ms     integer,
    -- Until the first word, thought or call.
    ADD COLUMN first_ms    integer,
    -- The sort of failure; null for a call that has answered.
    ADD COLUMN failure     text,
    -- In millionths of whatever the prices of the connection are in, as they were then; null without prices or a report.
    ADD COLUMN cost_micros bigint;

-- Per million tokens. What comes from the provider's cache costs the input price unless it has its own.
ALTER TABLE ai_connections
    ADD COLUMN input_price  double precision CHECK (input_price >= 0),
    ADD COLUMN output_price double precision CHECK (output_price >= 0),
    ADD COLUMN cached_price double precision CHECK (cached_price >= 0),
    ADD CONSTRAINT ai_connections_price CHECK ((input_price IS NULL) = (output_price IS NULL)) NOT VALID;

-- +goose Down
ALTER TABLE ai_connections DROP COLUMN input_price, DROP COLUMN output_price, DROP COLUMN cached_price;
ALTER TABLE ai_spend DROP COLUMN model, DROP COLUMN took_ms, DROP COLUMN first_ms, DROP COLUMN failure, DROP COLUMN cost_micros;
