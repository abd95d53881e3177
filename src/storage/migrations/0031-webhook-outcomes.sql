-- The last attempt to send an event that was received, and the last one that was not, over all nodes.
-- runs-from: 0030
create table if not exists webhook_outcomes (
  -- delivered or failed
  result text not null primary key,
  at bigint not null,
  event_id text not null,
  -- Why it failed; null if it was received.
  reason text
);
