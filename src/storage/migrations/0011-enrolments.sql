-- Enrolments of older identities, imported by the operator.
create table if not exists signup (
  id_comm bytea not null primary key,
  signup_id text not null,
  orb_id text not null,
  enrolled_at bigint not null,
  status text not null,
  updated_at bigint not null
);

-- One credential per human: of one signup at most one identity is active.
create unique index if not exists signup_active on signup (signup_id) where status = 'active';

-- Counts the changes of a table that are decided on what was read before.
create table if not exists record_versions (
  name text not null primary key,
  version bigint not null
);

-- Public keys of orbs; key_hash is the SHA-256 of the DER key.
create table if not exists orb_keys (
  orb_id text not null,
  key_hash bytea not null,
  pem text not null,
  status text not null,
  added_at bigint not null,
  primary key (orb_id, key_hash)
);
