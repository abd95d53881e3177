-- Keys of World ID 4.0: of issuers, and of the OPRF of relying parties. A removed one keeps its row.
create table if not exists issuers4 (
  environment text not null,
  issuer_schema_id text not null,
  x bytea not null,
  y bytea not null,
  source text not null,
  updated_at bigint not null,
  removed_at bigint,
  primary key (environment, issuer_schema_id)
);

create table if not exists oprf_keys4 (
  environment text not null,
  rp_id text not null,
  x bytea not null,
  y bytea not null,
  source text not null,
  updated_at bigint not null,
  removed_at bigint,
  primary key (environment, rp_id)
);
