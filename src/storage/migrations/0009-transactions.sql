-- Sign-ins under way; request and signal are JSON, since they may hold any character.
create table if not exists signin_transactions (
  txn text not null primary key,
  client_id text not null,
  request text not null,
  cookie_hash bytea not null,
  state text not null,
  attempt bigint not null,
  signal text not null,
  aes_key bytea,
  bridge_id text,
  window_ends_at bigint not null,
  answer_iv text,
  answer_payload text,
  code text,
  sub bytea,
  level text,
  auth_time bigint,
  created_at bigint not null,
  expires_at bigint not null
);

create index if not exists signin_transactions_expires on signin_transactions (expires_at);

-- Counts the open ones without reading them.
create index if not exists signin_transactions_open on signin_transactions (expires_at, state) where state <> 'consumed';
