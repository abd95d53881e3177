-- Verifying keys that an operator imported; key holds the bytes that the engine takes.
create table if not exists verifying_keys (
  key_id text not null primary key,
  origin text not null,
  depth bigint,
  source text not null,
  key bytea not null,
  fingerprint bytea not null,
  created_at bigint not null
);
