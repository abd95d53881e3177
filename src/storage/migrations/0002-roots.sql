-- Roots of the trees; superseded_at null means current.
create table if not exists roots (
  environment text not null,
  tree text not null,
  root bytea not null,
  received_at bigint not null,
  superseded_at bigint,
  source text not null,
  key_id text,
  primary key (environment, tree, root)
);

create unique index if not exists roots_current on roots (environment, tree) where superseded_at is null;

create index if not exists roots_received on roots (environment, tree, received_at, root);
