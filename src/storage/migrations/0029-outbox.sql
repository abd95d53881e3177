-- Events that wait to be sent as webhooks, were sent, or could not be sent.
create table if not exists outbox (
  id text not null primary key,
  type text not null,
  -- The JSON that is sent, without personal data.
  body text not null,
  -- Names what happened, where several nodes may notice it; else null.
  dedupe_key text,
  created_at bigint not null,
  -- Attempts that have begun since the event was written or sent again.
  attempts bigint not null,
  -- When the next attempt may begin; a node that makes one moves it to the end of its lease.
  next_at bigint not null,
  last_error text,
  delivered_at bigint,
  dead_at bigint,
  expires_at bigint not null
);

create unique index if not exists outbox_dedupe on outbox (dedupe_key);

create index if not exists outbox_due on outbox (next_at) where delivered_at is null and dead_at is null;

create index if not exists outbox_expires on outbox (expires_at);
