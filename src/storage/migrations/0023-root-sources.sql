-- Checkpoint of each source of roots: what has been read of its chain. Every write of a source raises version.
create table if not exists root_sources (
  id text not null primary key,
  version bigint not null,
  environment text not null,
  tree text not null,
  config_hash text not null,
  -- Last block that was read, its hash and its time; the scan of the past is over once scan_to is reached.
  block bigint not null,
  block_hash bytea not null,
  block_time bigint not null,
  scan_from bigint not null,
  scan_to bigint not null,
  scanned_at bigint not null,
  last_ok_at bigint not null,
  last_error text,
  last_error_at bigint
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

create index if not exists root_events_root on root_events (source, root);

-- Background jobs that one node does for all.
create table if not exists leases (
  name text not null primary key,
  holder text not null,
  until bigint not null
);
