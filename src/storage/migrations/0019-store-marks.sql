-- Rows that a node changes to find out whether the store accepts writes, and to make a commit that waits for a standby.
create table if not exists store_marks (
  name text not null primary key,
  marks bigint not null
);
