-- What is known about each provider and key, and which worker may use how much of it. Times are milliseconds of
-- this server's clock.
CREATE TABLE provider_limit (
    provider TEXT NOT NULL,
    -- Hash of the key that is used there.
    key BYTEA NOT NULL,
    state TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (provider, key)
) WITH (fillfactor = 50);

CREATE TABLE provider_lease (
    provider TEXT NOT NULL,
    key BYTEA NOT NULL,
    owner BYTEA NOT NULL,
    slots BIGINT NOT NULL,
    rate BIGINT NOT NULL,
    slots_wanted BIGINT NOT NULL,
    rate_wanted BIGINT NOT NULL,
    until BIGINT NOT NULL,
    served_at BIGINT NOT NULL,
    PRIMARY KEY (provider, key, owner)
) WITH (fillfactor = 50);
