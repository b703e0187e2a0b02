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
