-- Used nullifiers; a row is written once and never changed.
create table if not exists nullifiers (
  environment text not null,
  nullifier bytea not null,
  created_at bigint not null,
  app_id text not null,
  action text not null,
  request_id text not null,
  primary key (environment, nullifier)
);

-- First sight of an action. The key holds the SHA-256 of its text, which may be longer than an index entry.
create table if not exists actions (
  app_id text not null,
  action_hash bytea not null,
  environment text not null,
  action text not null,
  action_description text not null,
  created_at bigint not null,
  primary key (app_id, action_hash, environment)
);
