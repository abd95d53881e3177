-- Authorization codes by the SHA-256 of their text; sub, level, auth_time and nonce go when the code is used.
create table if not exists authorization_codes (
  code_hash bytea not null primary key,
  client_id text not null,
  redirect_uri text not null,
  scope text not null,
  code_challenge text,
  nonce text,
  sub bytea,
  level text,
  auth_time bigint,
  code_expires_at bigint not null,
  used_at bigint,
  jti text,
  expires_at bigint not null
);

create index if not exists authorization_codes_expires on authorization_codes (expires_at);

-- Access tokens that are no longer taken; live ones are not stored.
create table if not exists revoked_tokens (
  jti text not null primary key,
  expires_at bigint not null
);

create index if not exists revoked_tokens_expires on revoked_tokens (expires_at);

-- Hashes of proofs that must not be used twice.
create table if not exists spent_signins (
  hash bytea not null primary key,
  expires_at bigint not null
);

create index if not exists spent_signins_expires on spent_signins (expires_at);
