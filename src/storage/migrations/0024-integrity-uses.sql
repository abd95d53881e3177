-- What each device attestation of a verification request was used for, by a SHA-256 over relying party, device key and
-- signed digest. It is valid for the responses whose SHA-256 is bound, and for no others.
create table if not exists integrity_uses (
  use_hash bytea not null primary key,
  bound bytea not null,
  expires_at bigint not null
);

create index if not exists integrity_uses_expires on integrity_uses (expires_at);
