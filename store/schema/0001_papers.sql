-- The truth of a library: papers exactly as read, their sentences, their vectors, the full-text index.

CREATE TABLE facts (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

INSERT INTO facts VALUES ('generation', '0');

CREATE TABLE papers (
    row            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    title          TEXT NOT NULL,
    title_inferred INTEGER NOT NULL,
    abstract       TEXT NOT NULL,
    authors        TEXT NOT NULL,  -- JSON list
    venue          TEXT,
    year           INTEGER,
    url            TEXT,
    doi            TEXT,
    keywords       TEXT NOT NULL,  -- JSON list
    decision       TEXT,
    track          TEXT,
    source         TEXT NOT NULL,
    flags          TEXT NOT NULL,  -- JSON list
    content        TEXT NOT NULL,  -- hash of every field that a reader gives
    spans          BLOB NOT NULL   -- int32 pairs: where each sentence starts and ends in the abstract
);

CREATE TABLE chunks (
    paper   INTEGER NOT NULL REFERENCES papers (row) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    hash    TEXT NOT NULL,  -- of the embedded text and the embedding's identity
    vector  BLOB NOT NULL,  -- float32, unit length
    PRIMARY KEY (paper, number)
) WITHOUT ROWID;

CREATE TABLE sentence_vectors (
    paper   INTEGER PRIMARY KEY REFERENCES papers (row) ON DELETE CASCADE,
    vectors BLOB NOT NULL   -- int8, one row a sentence, scaled by its largest component
);

CREATE TABLE names (
    name  TEXT NOT NULL,  -- folded as `store.fulltext.words` folds a question
    paper INTEGER NOT NULL REFERENCES papers (row) ON DELETE CASCADE,
    PRIMARY KEY (name, paper)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE fulltext USING fts5 (title, abstract, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE INDEX names_by_paper ON names (paper);

CREATE TABLE additions (
    number  INTEGER PRIMARY KEY,
    at      TEXT NOT NULL,  -- ISO 8601, UTC
    receipt TEXT NOT NULL   -- JSON, as `abstracts add --json` prints it
);

CREATE VIRTUAL TABLE vocabulary USING fts5vocab (fulltext, row);
