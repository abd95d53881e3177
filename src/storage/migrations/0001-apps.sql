-- Apps: relying parties of verification.
create table if not exists apps (
  app_id text not null primary key,
  rp_id text not null,
  name text not null,
  status text not null,
  verification text not null,
  development_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);

create unique index if not exists apps_rp_id on apps (rp_id);
