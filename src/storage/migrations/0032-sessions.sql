-- Sessions of people with an app on one browser, which they agreed to on the sign-in page, by the SHA-256 of their cookie.
-- runs-from: 0030
create table if not exists signin_sessions (
  session_hash bytea not null primary key,
  -- Names the session in ID tokens and logout tokens.
  sid text not null,
  client_id text not null,
  -- Digest of the registration of the client: a changed client ends the session.
  client_hash bytea not null,
  sub bytea not null,
  level text not null,
  auth_time bigint not null,
  created_at bigint not null,
  expires_at bigint not null
);

create unique index if not exists signin_sessions_sid on signin_sessions (sid);

create index if not exists signin_sessions_person on signin_sessions (client_id, sub, created_at);

create index if not exists signin_sessions_expires on signin_sessions (expires_at);

-- What the person agreed to on the page: words separated by spaces.
alter table signin_transactions add column if not exists agreed text;

-- The session that a sign-in began or answered from.
alter table authorization_codes add column if not exists sid text;
