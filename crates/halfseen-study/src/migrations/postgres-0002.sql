-- People who use the server, as 0002.sql has them.
CREATE TABLE person (
    name TEXT COLLATE "C" PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('reader', 'collector', 'steward', 'admin')),
    token TEXT NOT NULL UNIQUE,
    made TEXT NOT NULL,
    gone TEXT
);

CREATE TABLE sign_in (
    secret TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES person (name),
    until BIGINT NOT NULL
);
