-- Signing keys; the private part is sealed under a key that is not in the store, or plain JSON.
create table if not exists signing_keys (
  kid text not null primary key,
  key_use text not null,
  state text not null,
  public_jwk text not null,
  private_jwk text not null,
  development_at bigint,
  created_at bigint not null,
  activated_at bigint,
  retired_at bigint,
  expires_at bigint
);

-- Of each use one key is active and one is next.
create unique index if not exists signing_keys_single on signing_keys (key_use, state) where state <> 'retired';

create index if not exists signing_keys_expires on signing_keys (expires_at);
