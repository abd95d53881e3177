-- Adds the record of which programs can run on the store after a migration, for releases that are taken back.
-- From the next file on, the second comment line is `-- runs-from: VERSION`: programs that know this version still run.
create table if not exists schema_requirements (
  version bigint not null primary key,
  runs_from bigint not null
);
