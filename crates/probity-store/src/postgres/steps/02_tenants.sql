-- Tenants and what each may use, their keys, whose turn it is, and what is told to others.
--
-- Where a tenant's name must not be null, the empty name stands for the operator: no tenant can have it.
CREATE TABLE tenant (
    name TEXT PRIMARY KEY,
    -- In millionths of a US dollar; none is without limit.
    budget_per_day BIGINT,
    in_flight_max INTEGER NOT NULL,
    waiting_max INTEGER NOT NULL,
    requests_per_second INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    suspended BOOLEAN NOT NULL DEFAULT false,
    changed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- BLAKE3 of the secret. The secret is 256 random bits: nothing slower is needed.
    hash BYTEA NOT NULL,
    made_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    -- Enough to find keys that nobody uses; written once a day.
    last_used_on DATE
);
CREATE INDEX api_key_of_tenant ON api_key (tenant, made_at);

-- Starts that may be repeated by their sender.
CREATE TABLE idempotency (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    request BYTEA NOT NULL,
    research BYTEA NOT NULL,
    made_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, key)
);
CREATE INDEX idempotency_made ON idempotency (made_at);

-- When it got its turn; whoever got it and was not given to the engine is found by this.
ALTER TABLE research ADD COLUMN admitted_at TIMESTAMPTZ;
CREATE INDEX research_unsubmitted ON research (admitted_at) WHERE due AND admitted AND submitted_at IS NULL;

-- What each tenant has waiting and in flight, and what its researches cost by the hour in which they were asked.
-- Appends only add a line to `tenant_change`, so that none waits for another; the admitter adds the lines up.
-- What is true at any moment is the sum of both.
CREATE TABLE tenant_load (
    tenant TEXT PRIMARY KEY,
    waiting BIGINT NOT NULL,
    in_flight BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE tenant_spending (
    tenant TEXT NOT NULL,
    hour TIMESTAMPTZ NOT NULL,
    money BIGINT NOT NULL,
    PRIMARY KEY (tenant, hour)
) WITH (fillfactor = 50);
CREATE TABLE tenant_change (
    tenant TEXT NOT NULL,
    hour TIMESTAMPTZ NOT NULL,
    waiting INTEGER NOT NULL,
    in_flight INTEGER NOT NULL,
    -- Spent or reserved, in millionths of a US dollar; may be negative.
    money BIGINT NOT NULL
);
CREATE INDEX tenant_change_of_tenant ON tenant_change (tenant);

CREATE SEQUENCE audit_number;
CREATE TABLE audit (
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    number BIGINT NOT NULL DEFAULT nextval('audit_number'),
    tenant TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    research BYTEA,
    outcome TEXT NOT NULL
) PARTITION BY RANGE (at);
CREATE TABLE audit_default PARTITION OF audit DEFAULT;
CREATE INDEX audit_at ON audit (at, number);
CREATE INDEX audit_of_tenant ON audit (tenant, at, number);

CREATE TABLE webhook (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT NOT NULL,
    url TEXT NOT NULL,
    -- As the caller sealed it; nobody here can open it.
    secret BYTEA NOT NULL,
    -- Statuses that are told; none is all of them.
    statuses TEXT[] NOT NULL,
    made_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX webhook_of_tenant ON webhook (tenant);

-- What is still to be told, and what was. Written by the append that brings a research to rest. No foreign key:
-- a webhook that goes away must not make an append fail.
CREATE TABLE delivery (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    research BYTEA NOT NULL,
    -- A research comes to rest once for each time that it became due.
    due_sequence BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    status TEXT NOT NULL,
    asked_at TIMESTAMPTZ NOT NULL,
    rested_at TIMESTAMPTZ NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When the next attempt may begin; while one is under way, when it counts as lost.
    next_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    last_answer TEXT,
    made_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    settled_at TIMESTAMPTZ,
    UNIQUE (webhook, research, due_sequence)
) WITH (fillfactor = 80);
CREATE INDEX delivery_waiting ON delivery (next_at) WHERE state = 'waiting';
CREATE INDEX delivery_of_tenant ON delivery (tenant, number);
CREATE INDEX delivery_settled ON delivery (settled_at) WHERE settled_at IS NOT NULL;
