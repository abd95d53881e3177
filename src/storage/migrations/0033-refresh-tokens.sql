-- Adds refresh tokens: a row for each family of tokens, which holds hashes of the token in force.
-- runs-from: 0030
create table if not exists refresh_families (
  -- SHA-256 of the lookup key, which all tokens of the family share.
  lookup_hash bytea not null primary key,
  -- SHA-256 of the token in force.
  token_hash bytea not null,
  family_id text not null,
  client_id text not null,
  sub bytea not null,
  level text not null,
  auth_time bigint not null,
  scope text not null,
  -- The session that the sign-in began, if any.
  sid text,
  -- Thumbprint of the key that the tokens are bound to, if any.
  jkt text,
  created_at bigint not null,
  last_used_at bigint not null,
  -- When the last access token of the family ends.
  tokens_end_at bigint not null,
  expires_at bigint not null
);

create index if not exists refresh_families_expires on refresh_families (expires_at);

create unique index if not exists refresh_families_id on refresh_families (family_id);

create index if not exists refresh_families_person on refresh_families (client_id, sub, created_at);
