-- Wallet bridge: ciphertext between page and wallet. A request that was taken keeps its row, emptied, for its status.
create table if not exists bridge_messages (
  id text not null,
  kind text not null,
  iv text,
  payload text,
  status text,
  size_bytes bigint not null,
  expires_at bigint not null,
  primary key (id, kind)
);

-- Serves the sweep, and the sum over live rows without reading the messages.
create index if not exists bridge_messages_live on bridge_messages (expires_at, size_bytes);
