-- Trees of the development profile: level 0 has the leaves; an absent node is the empty node of its level.
create table if not exists development_nodes (
  tree text not null,
  level bigint not null,
  idx bigint not null,
  hash bytea not null,
  primary key (tree, level, idx)
);

create unique index if not exists development_leaves on development_nodes (tree, hash) where level = 0;

-- Persons of the development profile with their secrets: whoever reads this table can prove as them.
create table if not exists development_persons (
  person_id text not null primary key,
  trapdoor bytea not null,
  nullifier bytea not null,
  commitment bytea not null,
  created_at bigint not null
);
