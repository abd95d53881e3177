-- What sign-in knows of an app, as JSON: an app without a row has the defaults.
create table if not exists clients (
  app_id text not null primary key,
  metadata text not null
);

-- Live secrets; hash is an HMAC under a key that is not in the store. expires_at null means that it has no end.
create table if not exists client_secrets (
  app_id text not null,
  secret_id text not null,
  hash bytea not null,
  development_at bigint,
  created_at bigint not null,
  expires_at bigint,
  primary key (app_id, secret_id)
);

create index if not exists client_secrets_expires on client_secrets (expires_at);

create table if not exists client_logos (
  app_id text not null primary key,
  content_type text not null,
  bytes bytea not null
);
