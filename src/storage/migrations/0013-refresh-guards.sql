-- Proof attempts of an address in a minute since the epoch.
create table if not exists refresh_attempts (
  address_key text not null,
  minute bigint not null,
  attempts bigint not null,
  expires_at bigint not null,
  primary key (address_key, minute)
);

create index if not exists refresh_attempts_expires on refresh_attempts (expires_at);

-- Challenges that nobody has used, by the SHA-256 of their bytes.
create table if not exists refresh_challenges (
  challenge_hash bytea not null primary key,
  expires_at bigint not null
);

create index if not exists refresh_challenges_expires on refresh_challenges (expires_at);

-- What operators switched off; a service without a row is on.
create table if not exists service_switches (
  name text not null primary key,
  off_at bigint,
  updated_at bigint not null
);
