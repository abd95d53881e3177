-- Tokens of the admin API; hash is the SHA-256 of the token.
create table if not exists admin_tokens (
  token_id text not null primary key,
  hash bytea not null,
  name text not null,
  scope text not null,
  created_at bigint not null,
  expires_at bigint
);

create unique index if not exists admin_tokens_hash on admin_tokens (hash);

create index if not exists admin_tokens_expires on admin_tokens (expires_at);

-- Answers of the admin API to requests with an Idempotency-Key, sealed under the master key.
create table if not exists admin_answers (
  key_hash bytea not null primary key,
  request_hash bytea not null,
  answer text not null,
  expires_at bigint not null
);

create index if not exists admin_answers_expires on admin_answers (expires_at);
