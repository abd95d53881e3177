-- Which key a client secret was hashed under, by the id of the key; a secret of an earlier release has no row.
create table if not exists client_secret_keys (
  app_id text not null,
  secret_id text not null,
  key_id text not null,
  primary key (app_id, secret_id)
);
