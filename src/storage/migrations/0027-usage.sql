-- Requests by app and UTC day, of all nodes, without personal data; rows with an empty app_id count those of all apps.
create table if not exists usage_days (
  app_id text not null,
  -- Days since the epoch.
  day bigint not null,
  environment text not null,
  kind text not null,
  amount bigint not null,
  expires_at bigint not null,
  primary key (app_id, day, environment, kind)
);

create index if not exists usage_days_expires on usage_days (expires_at);

-- Nullifiers recorded for an action since it was first seen or reset.
create table if not exists action_counts (
  app_id text not null,
  action_hash bytea not null,
  environment text not null,
  amount bigint not null,
  primary key (app_id, action_hash, environment)
);

-- Refusals by code and hour, of all nodes.
create table if not exists refusal_hours (
  -- Hours since the epoch.
  hour bigint not null,
  code text not null,
  route text not null,
  amount bigint not null,
  last_at bigint not null,
  expires_at bigint not null,
  primary key (hour, code, route)
);

create index if not exists refusal_hours_expires on refusal_hours (expires_at);

-- State of each node of the table nodes.
create table if not exists node_states (
  node_id text not null primary key,
  workers bigint not null,
  ready_workers bigint not null,
  backend text not null,
  is_ready bigint not null,
  expires_at bigint not null
);

create index if not exists node_states_expires on node_states (expires_at);

-- Lists apps page by page, the latest first.
create index if not exists apps_created on apps (created_at, app_id);
