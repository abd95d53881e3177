-- Adds the verification policies of apps; those whose usage shows the environment that the default refuses keep both.
-- runs-from: 0030
create table if not exists app_policies (
  app_id text not null primary key,
  -- JSON. An app without a row has the default policy.
  policy text not null
);

-- By default an app accepts in production the environment of its app_id alone.
insert into app_policies (app_id, policy)
select a.app_id, '{"environments":["production","staging"]}' from apps a
where exists (
  select 1 from usage_days u where u.app_id = a.app_id
    and u.kind in ('verified_new', 'verified_reused', 'verified_session')
    and (u.environment = 'staging') <> (a.app_id like 'app\_staging\_%' escape '\')
) or exists (
  select 1 from action_counts c where c.app_id = a.app_id and c.amount > 0
    and (c.environment = 'staging') <> (a.app_id like 'app\_staging\_%' escape '\')
)
on conflict (app_id) do nothing;
