-- Adds pushed authorization requests by the SHA-256 of their reference; a row goes when a sign-in begins with it.
-- runs-from: 0030
create table if not exists pushed_requests (
  reference_hash bytea not null primary key,
  client_id text not null,
  -- The known parameters of the request as a form; credentials are never among them.
  parameters text not null,
  expires_at bigint not null
);

create index if not exists pushed_requests_expires on pushed_requests (expires_at);
