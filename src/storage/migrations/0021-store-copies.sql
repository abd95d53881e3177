-- Marks of `proofgate store copy`. A store with a row whose closed_at is set must not be served: it is an unfinished
-- copy (role target) or was moved to another store (role source).
create table if not exists store_copies (
  role text not null primary key,
  copy_id text not null,
  holder text not null,
  closed_at bigint
);
