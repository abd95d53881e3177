-- Credential keys; the seed is sealed under a key that is not in the store, and null for a configured one.
create table if not exists issuer_keys (
  issuer_schema_id text not null,
  key_id text not null,
  x bytea not null,
  y bytea not null,
  status text not null,
  origin text not null,
  sealed_seed text,
  registered_at bigint not null,
  retired_at bigint,
  primary key (issuer_schema_id, key_id)
);

-- Of each issuer schema one key is active.
create unique index if not exists issuer_keys_active on issuer_keys (issuer_schema_id) where status = 'active';
