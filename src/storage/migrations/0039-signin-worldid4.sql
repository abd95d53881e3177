-- Sign-in with World ID 4.0: what an attempt asks for, what was proven, sessions of people, and what finds them again.
-- runs-from: 0030

-- JSON; null for an attempt that asks for World ID 3.0 alone.
alter table signin_transactions add column if not exists ask text;

-- How many attempts the service began by itself; null for none.
alter table signin_transactions add column if not exists renewals bigint;

-- SHA-256 of the cookie by which the browser is to be recognised.
alter table signin_transactions add column if not exists known_hash bytea;

-- JSON; null for a proof of World ID 3.0.
alter table signin_transactions add column if not exists evidence text;
alter table authorization_codes add column if not exists evidence text;
alter table signin_sessions add column if not exists evidence text;
alter table refresh_families add column if not exists evidence text;

-- Sessions of World ID 4.0 that people proved to a client.
create table if not exists worldid_sessions (
  client_id text not null,
  -- Commitment and OPRF seed, 64 bytes.
  session_id bytea not null,
  sub bytea not null,
  -- SHA-256 of the sub: names the person to operators.
  person_hash bytea not null,
  binding text not null,
  created_at bigint not null,
  used_at bigint not null,
  expires_at bigint not null,
  primary key (client_id, session_id)
);

create index if not exists worldid_sessions_person on worldid_sessions (client_id, sub, used_at);

create index if not exists worldid_sessions_named on worldid_sessions (client_id, person_hash);

create index if not exists worldid_sessions_expires on worldid_sessions (expires_at);

-- What finds the session of a person again, by a SHA-256: the cookie of a browser or the user handle of a passkey.
create table if not exists signin_pointers (
  pointer_hash bytea not null,
  client_id text not null,
  sub bytea not null,
  session_id bytea not null,
  kind text not null,
  -- Of a passkey, else null.
  credential_id text,
  public_key bytea,
  sign_count bigint,
  created_at bigint not null,
  used_at bigint not null,
  expires_at bigint not null,
  primary key (pointer_hash, sub)
);

create index if not exists signin_pointers_person on signin_pointers (client_id, sub, used_at);

create index if not exists signin_pointers_expires on signin_pointers (expires_at);

-- Subs of the other version of World ID that people added to theirs.
create table if not exists signin_aliases (
  client_id text not null,
  alias bytea not null,
  sub bytea not null,
  created_at bigint not null,
  primary key (alias, client_id)
);

create index if not exists signin_aliases_person on signin_aliases (client_id, sub);

-- Permissions of a client for a person to begin anew under another action, by the SHA-256 of a code.
create table if not exists signin_beginnings (
  beginning_hash bytea not null primary key,
  client_id text not null,
  -- Number of the action, from 2; never given to two people.
  number bigint not null,
  used_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);

create unique index if not exists signin_beginnings_number on signin_beginnings (client_id, number);

-- The relying party whose nullifiers are the subs of people: one row.
create table if not exists signin_relying_party (
  id bigint not null primary key,
  rp_id text not null,
  confirmed_at bigint not null
);
