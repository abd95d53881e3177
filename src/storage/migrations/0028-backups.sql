-- The last finished backup of this store, by kind; kept to tell how old it is. A copy to another store leaves it out.
create table if not exists backups (
  kind text not null primary key,
  finished_at bigint not null,
  bytes bigint not null,
  sha256 bytea not null
);
