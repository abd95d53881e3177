-- What strangers hold of the wallet bridge, one row a message. Messages of the service's own sign-ins have none.
create table if not exists bridge_charges (
  id text not null,
  kind text not null,
  address_key text not null,
  network_key text not null,
  bytes bigint not null,
  expires_at bigint not null,
  primary key (id, kind)
);

-- Sums up the share of one address without reading its rows.
create index if not exists bridge_charges_address on bridge_charges (address_key, expires_at, bytes);

-- Finds the oldest messages of a network.
create index if not exists bridge_charges_network on bridge_charges (network_key, expires_at, id, kind, bytes);

-- Finds the networks whose messages have ended.
create index if not exists bridge_charges_expires on bridge_charges (expires_at, network_key);

-- Sums of bridge_charges by network, and over all of them under the empty key. Nothing held is no row.
create table if not exists bridge_usage (
  network_key text not null primary key,
  entries bigint not null,
  bytes bigint not null
);

-- Find the network that holds most.
create index if not exists bridge_usage_entries on bridge_usage (entries, network_key);

create index if not exists bridge_usage_bytes on bridge_usage (bytes, network_key);
