-- State of each source of roots: how far its chain was read. Every write that depends on it raises version.
create table if not exists root_sources (
  id text not null primary key,
  version bigint not null,
  environment text not null,
  tree text not null,
  config_hash text not null,
  -- First block of the scan, and the last block that was read with its hash; null until the first one is known.
  scan_from bigint,
  block bigint,
  block_hash bytea,
  -- Time of the last block up to which the current root is known.
  target_time bigint,
  -- Block up to which the look-back must be read; null once it has been read.
  backfill_to bigint,
  -- Roots, 32 bytes each, that were taken as current before the look-back was read; the last one is current.
  provisional bytea,
  logs_at bigint not null,
  keys_at bigint not null,
  last_ok_at bigint,
  last_error text,
  last_error_at bigint,
  providers text
);

-- Changes of the root that a source recorded; the rows of roots are derived from them.
create table if not exists root_events (
  source text not null,
  block bigint not null,
  log_index bigint not null,
  block_hash bytea not null,
  root bytea not null,
  at bigint not null,
  primary key (source, block, log_index)
);

-- Background work that one node does for all.
create table if not exists leases (
  name text not null primary key,
  holder text not null,
  until bigint not null
);
