-- Researches, their journals, the bytes that they keep, and who is in the middle of one.
--
-- `research` is written on every append. What an index covers changes seldom, so that most of these writes
-- touch no index at all: `listed_at` is the minute of the last change, and the order within it is sorted when read.
CREATE TABLE research (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id BYTEA NOT NULL UNIQUE,
    sequence BIGINT NOT NULL,
    -- Hash of the last event, which covers all events before it.
    chain BYTEA NOT NULL,
    status TEXT NOT NULL,
    due BOOLEAN NOT NULL,
    -- Who asked; none for the operator's own.
    tenant TEXT,
    engine TEXT NOT NULL,
    asked_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    listed_at TIMESTAMPTZ NOT NULL,
    -- In millionths of a US dollar. What is known to be spent, and what it may cost beyond that: together
    -- what counts against a ceiling.
    spent BIGINT NOT NULL,
    reserved BIGINT NOT NULL,
    -- Over every column above but the number, and over the summary.
    hash BYTEA NOT NULL,
    summary TEXT NOT NULL,
    -- From here on: who works on it. Changed without an event.
    owner BYTEA,
    fence BIGINT NOT NULL DEFAULT 0,
    called BOOLEAN NOT NULL DEFAULT false,
    admitted BOOLEAN NOT NULL DEFAULT true,
    submitted_at TIMESTAMPTZ,
    -- Sequence of the event that made it due the last time.
    due_sequence BIGINT NOT NULL DEFAULT 1
) WITH (fillfactor = 60);
CREATE INDEX research_listed ON research (listed_at);
CREATE INDEX research_listed_of_status ON research (status, listed_at);
CREATE INDEX research_listed_of_tenant ON research (tenant, listed_at);
CREATE INDEX research_asked_of_tenant ON research (tenant, asked_at);
CREATE INDEX research_due ON research (number) WHERE due;
CREATE INDEX research_waiting ON research (tenant, number) WHERE due AND NOT admitted;
CREATE INDEX research_in_flight ON research (tenant, number) WHERE due AND admitted;

-- Beside the row, so that it is not copied on every append. Only a way to find rows: the rows are what is told.
CREATE TABLE words (
    number BIGINT PRIMARY KEY REFERENCES research (number) ON DELETE CASCADE,
    -- In lower case, for filtering by a part of it.
    question TEXT NOT NULL,
    words TSVECTOR NOT NULL
);
CREATE INDEX words_words ON words USING gin (words);

-- All events of a research lie in the month in which it was asked: one partition is read, and a month that is
-- no longer wanted goes with whole researches.
CREATE TABLE event (
    number BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    asked_at TIMESTAMPTZ NOT NULL,
    version INTEGER NOT NULL,
    at BIGINT NOT NULL,
    attended_ms BIGINT NOT NULL,
    body TEXT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (number, sequence, asked_at)
) PARTITION BY RANGE (asked_at);
CREATE TABLE event_default PARTITION OF event DEFAULT;

CREATE TABLE blob (
    digest BYTEA PRIMARY KEY,
    bytes BYTEA NOT NULL,
    kept_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE judgement (
    question BYTEA PRIMARY KEY,
    answer TEXT NOT NULL,
    hash BYTEA NOT NULL,
    kept_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX judgement_kept ON judgement (kept_at);

CREATE TABLE owner (
    owner BYTEA PRIMARY KEY,
    beats BIGINT NOT NULL,
    beat_at TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
