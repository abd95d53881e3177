-- Lets a browser have its answer again: how a sign-in ended, its codes, and the pushed requests that were answered.
-- runs-from: 0030

-- How a consumed sign-in ended; null if an earlier release ended it.
alter table signin_transactions add column if not exists ended text;

-- How many codes it has issued; null for none.
alter table signin_transactions add column if not exists answers bigint;

-- SHA-256 of the reference of the pushed request that it began with.
alter table signin_transactions add column if not exists pushed_hash bytea;

-- Finds the sign-in that a browser has begun with a reference.
create index if not exists signin_transactions_pushed on signin_transactions (pushed_hash, cookie_hash) where pushed_hash is not null;

-- The sign-in that issued the code.
alter table authorization_codes add column if not exists txn text;

-- SHA-256 of the cookie of the session that answered the request, and how many codes it got.
alter table pushed_requests add column if not exists session_hash bytea;
alter table pushed_requests add column if not exists answers bigint;

-- References that were answered, at least until every sign-in that began with them is over.
create table if not exists pushed_uses (
  reference_hash bytea not null primary key,
  client_id text not null,
  expires_at bigint not null
);

create index if not exists pushed_uses_expires on pushed_uses (expires_at);
