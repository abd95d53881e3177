-- Keys to which codes are bound, and the proofs of possession that were used (RFC 9449).
-- runs-from: 0030
alter table authorization_codes add column if not exists dpop_jkt text;

-- One row for each accepted proof, by a hash of its key, its jti and the address it was made for.
create table if not exists dpop_proofs (
  proof_hash bytea not null primary key,
  expires_at bigint not null
);

create index if not exists dpop_proofs_expires on dpop_proofs (expires_at);
