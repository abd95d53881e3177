-- Changes by operators and by the service. Rows are never changed or removed; hash is the SHA-256, in hex, of the row and
-- of the hash before it.
create table if not exists audit_log (
  seq bigint not null primary key,
  at bigint not null,
  actor text not null,
  action text not null,
  target text not null,
  request_id text,
  -- Values before and after, as JSON without secrets.
  before_value text,
  after_value text,
  hash text not null
);

create index if not exists audit_log_target on audit_log (target, seq);

create index if not exists audit_log_actor on audit_log (actor, seq);

create index if not exists audit_log_action on audit_log (action, seq);

-- The last row of the log: one row, which every change updates.
create table if not exists audit_head (
  id bigint not null primary key,
  seq bigint not null,
  hash text not null
);
