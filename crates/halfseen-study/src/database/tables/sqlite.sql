-- The tables of a study. Values stand apart from the events, so that they can be erased.
CREATE TABLE study (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    identity TEXT NOT NULL,
    created TEXT NOT NULL,
    -- Schema, learner, parameters and rules, as JSON.
    setup TEXT NOT NULL,
    -- Number of the next ask.
    next_ask INTEGER NOT NULL,
    -- Reads and money that are made or asked for.
    reads INTEGER NOT NULL,
    cost REAL NOT NULL,
    -- Number of asks that are complete.
    complete INTEGER NOT NULL,
    -- Number of changes of the schema, by which those who have the study open notice them.
    revision INTEGER NOT NULL
) STRICT;

CREATE TABLE subject (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    withdrawn TEXT,
    erased TEXT
) STRICT;

CREATE TABLE ask (
    number INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL REFERENCES subject (id),
    wave TEXT,
    -- The query as the learner drew it, as JSON.
    query TEXT NOT NULL,
    -- open, complete, released, or replaced by a later ask of the subject.
    state TEXT NOT NULL CHECK (state IN ('open', 'complete', 'released', 'replaced')),
    -- Number of attributes, and the target, that are not told yet.
    missing INTEGER NOT NULL,
    at TEXT NOT NULL,
    who TEXT NOT NULL
) STRICT;
CREATE INDEX ask_of_subject ON ask (subject, number);
CREATE INDEX ask_of_state ON ask (state, number);

-- Attributes by place in the schema; -1 is the target.
CREATE TABLE asked (
    ask INTEGER NOT NULL REFERENCES ask (number),
    attribute INTEGER NOT NULL,
    PRIMARY KEY (ask, attribute)
) STRICT, WITHOUT ROWID;

CREATE TABLE value (
    subject INTEGER NOT NULL REFERENCES subject (id),
    attribute INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    -- One of the three.
    number REAL,
    category TEXT,
    reason TEXT,
    -- True if an ask of the subject named it when it was told.
    was_asked INTEGER NOT NULL,
    is_outside INTEGER NOT NULL,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    source TEXT,
    PRIMARY KEY (subject, attribute, revision)
) STRICT, WITHOUT ROWID;

-- Everything that people did but for telling values, which say it themselves. Only ever added to.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    verb TEXT NOT NULL,
    subject INTEGER,
    attribute INTEGER,
    revision INTEGER,
    ask INTEGER,
    reason TEXT
) STRICT;
CREATE TRIGGER event_is_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events are kept'); END;
CREATE TRIGGER event_is_fixed BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are fixed'); END;

-- What can be computed again: models by the digest of what they are made of.
CREATE TABLE cache (
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (kind)
) STRICT;

-- People who use the server. Of tokens and sign-ins only the SHA-256 is kept.
CREATE TABLE person (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('reader', 'collector', 'steward', 'admin')),
    token TEXT NOT NULL UNIQUE,
    made TEXT NOT NULL,
    gone TEXT
) STRICT;

CREATE TABLE sign_in (
    secret TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES person (name),
    -- Seconds since 1970.
    until INTEGER NOT NULL
) STRICT;
