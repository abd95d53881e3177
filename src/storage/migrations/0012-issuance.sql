-- The sub that an identity is bound to for good, with the counts of what it was issued.
create table if not exists sub_bindings (
  issuer_schema_id text not null,
  id_comm bytea not null,
  sub bytea not null,
  genesis_issued_at bigint not null,
  issued_count bigint not null,
  last_issued_at bigint not null,
  primary key (issuer_schema_id, id_comm)
);

create index if not exists sub_bindings_id_comm on sub_bindings (id_comm);

-- Issued credentials; a row is written once and never changed. encrypted_user_id is UTF-8, which may hold U+0000.
create table if not exists issued_credentials (
  issuer_schema_id text not null,
  credential_id bytea not null,
  id_comm bytea not null,
  sub bytea not null,
  genesis_issued_at bigint not null,
  issued_at bigint not null,
  expires_at bigint not null,
  claim0 bytea not null,
  claim_source text not null,
  hashes_json_sha256 bytea,
  operator_id text,
  credential_hash bytea not null,
  signature bytea not null,
  key_id text not null,
  encrypted_user_id bytea,
  primary key (issuer_schema_id, credential_id)
);

-- The limit of a holder counts here.
create index if not exists issued_credentials_holder on issued_credentials (issuer_schema_id, id_comm, issued_at);

-- The order of the export.
create index if not exists issued_credentials_issued on issued_credentials (issued_at, issuer_schema_id, credential_id);
