-- Nodes that share the store. key_ids names the keys that all of them must have in common.
create table if not exists nodes (
  node_id text not null primary key,
  version text not null,
  key_ids text not null,
  started_at bigint not null,
  seen_at bigint not null,
  expires_at bigint not null
);

create index if not exists nodes_expires on nodes (expires_at);
