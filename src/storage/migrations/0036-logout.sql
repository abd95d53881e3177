-- Notices that a session of an app has ended, until the app receives them (back-channel logout).
-- runs-from: 0030
create table if not exists logout_notices (
  sid text not null primary key,
  client_id text not null,
  sub bytea not null,
  created_at bigint not null,
  -- Attempts that have begun.
  attempts bigint not null,
  -- When the next attempt may begin.
  next_at bigint not null,
  -- While an attempt runs, when another node may make it; else 0.
  lease_ends_at bigint not null,
  expires_at bigint not null
);

create index if not exists logout_notices_due on logout_notices (next_at);

create index if not exists logout_notices_client on logout_notices (client_id, next_at);

create index if not exists logout_notices_expires on logout_notices (expires_at);
