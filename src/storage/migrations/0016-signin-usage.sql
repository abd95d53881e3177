-- Open sign-ins and their bytes by holder and by the minute in which they end: a client by its id, a network by its
-- key, all together under the empty text. A sum over the minutes to come needs no sign-in, and an ended minute counts
-- nothing any more. Slots keep transactions that count for the same holder from waiting for one row.
create table if not exists signin_usage (
  holder text not null,
  minute bigint not null,
  slot bigint not null,
  sign_ins bigint not null,
  bytes bigint not null,
  expires_at bigint not null,
  primary key (holder, minute, slot)
);

create index if not exists signin_usage_expires on signin_usage (expires_at);

-- Served the count over all open sign-ins.
drop index if exists signin_transactions_open;
