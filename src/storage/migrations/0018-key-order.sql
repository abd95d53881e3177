-- The column of high entropy comes first in the keys of tables that grow for ever: a database that spreads rows over
-- machines places them by the first column. row_id tells who wrote a row after a commit whose outcome is unknown. Each
-- table is copied, dropped and renamed; its former shape is created first, so that an interrupted run can start again.
create table if not exists nullifiers (
  environment text not null,
  nullifier bytea not null,
  created_at bigint not null,
  app_id text not null,
  action text not null,
  request_id text not null,
  primary key (environment, nullifier)
);

create table if not exists nullifiers_copy (
  nullifier bytea not null,
  environment text not null,
  created_at bigint not null,
  app_id text not null,
  action text not null,
  request_id text not null,
  row_id text not null,
  primary key (nullifier, environment)
);

insert into nullifiers_copy (nullifier, environment, created_at, app_id, action, request_id, row_id)
select nullifier, environment, created_at, app_id, action, request_id, request_id from nullifiers
where true
on conflict (nullifier, environment) do nothing;

drop table if exists nullifiers;

alter table nullifiers_copy rename to nullifiers;

create table if not exists sub_bindings (
  issuer_schema_id text not null,
  id_comm bytea not null,
  sub bytea not null,
  genesis_issued_at bigint not null,
  issued_count bigint not null,
  last_issued_at bigint not null,
  primary key (issuer_schema_id, id_comm)
);

create table if not exists sub_bindings_copy (
  id_comm bytea not null,
  issuer_schema_id text not null,
  sub bytea not null,
  genesis_issued_at bigint not null,
  issued_count bigint not null,
  last_issued_at bigint not null,
  primary key (id_comm, issuer_schema_id)
);

insert into sub_bindings_copy (id_comm, issuer_schema_id, sub, genesis_issued_at, issued_count, last_issued_at)
select id_comm, issuer_schema_id, sub, genesis_issued_at, issued_count, last_issued_at from sub_bindings
where true
on conflict (id_comm, issuer_schema_id) do nothing;

drop table if exists sub_bindings;

alter table sub_bindings_copy rename to sub_bindings;

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

create table if not exists issued_credentials_copy (
  credential_id bytea not null,
  issuer_schema_id text not null,
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
  primary key (credential_id, issuer_schema_id)
);

insert into issued_credentials_copy (credential_id, issuer_schema_id, id_comm, sub, genesis_issued_at, issued_at, expires_at, claim0, claim_source, hashes_json_sha256, operator_id, credential_hash, signature, key_id, encrypted_user_id)
select credential_id, issuer_schema_id, id_comm, sub, genesis_issued_at, issued_at, expires_at, claim0, claim_source, hashes_json_sha256, operator_id, credential_hash, signature, key_id, encrypted_user_id from issued_credentials
where true
on conflict (credential_id, issuer_schema_id) do nothing;

drop table if exists issued_credentials;

alter table issued_credentials_copy rename to issued_credentials;

-- The limit of a holder counts here.
create index if not exists issued_credentials_holder on issued_credentials (id_comm, issuer_schema_id, issued_at);

-- The order of the export.
create index if not exists issued_credentials_issued on issued_credentials (issued_at asc, issuer_schema_id, credential_id);
