-- Session proofs that were accepted, by a SHA-256 over environment and nullifier, each with the request that it came in.
-- runs-from: 0030
create table if not exists session_proof_uses (
  use_hash bytea not null primary key,
  bound bytea not null,
  expires_at bigint not null
);

create index if not exists session_proof_uses_expires on session_proof_uses (expires_at);
