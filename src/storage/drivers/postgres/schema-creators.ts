// biome-ignore lint/style/noRestrictedImports: the files of this folder are those that hide pg
import pg from 'pg';
import { ServiceError } from '../../../errors/service-error.ts';
import type { PostgresSession } from './postgres-session.ts';
import { runAlone } from './postgres-transaction.ts';

/** Group of the administrators of a managed database, and the superuser by whom the provider is known. */
const PROVIDERS = [
  ['rds_superuser', 'rdsadmin'],
  ['cloudsqlsuperuser', 'cloudsqladmin'],
  ['azure_pg_admin', 'azuresu'],
] as const;

/** Nothing that another role has made is searched. */
const SYSTEM_ONLY = { text: 'set local search_path = pg_catalog, pg_temp' };
const MAX_NAMES = 5;

/** The owner of a schema, or a grant of the right to create in it. */
interface Creator {
  /** Null for PUBLIC. */
  readonly grantee: string | null;
  readonly isOwner: boolean;
  /** Whether the role of this session has the right by it. */
  readonly isOwn: boolean;
  /** Roles that have the right by it, can log in and are not trusted. */
  readonly others: readonly string[];
}

/**
 * Refuses a schema in which a role may create, or has created, that is not trusted: a function or operator that it
 * plants runs as the role of this session. Trusted are superusers, the owner of the database and of the schema,
 * administrators of a known provider, and the members of these roles; objects may also belong to a group that only this
 * role is in. The owner of a schema with the name of this role is not trusted: `"$user"` of a search path finds such a
 * schema, even if created by another role.
 *
 * @throws ServiceError `store.shared_schema`; NotCommitted
 */
export async function refuseOtherCreators(session: PostgresSession, limitMs: number): Promise<void> {
  const schema = quoted(session.schema);
  const rows = await runAlone(session, { text: creatorsQuery(session.schema) }, limitMs, [SYSTEM_ONLY]);
  const creators = rows.map(
    ([, , grantee, isOwner, isOwn, others]): Creator => ({
      grantee: grantee === null ? null : String(grantee),
      isOwner: isOwner === 't',
      isOwn: isOwn === 't',
      others: parseNames(others),
    }),
  );
  const [role, objects] = [String(rows[0]?.[0]), parseNames(rows[0]?.[1])];
  const names = [...new Set(creators.flatMap(({ others }) => others.map(quoted)))].sort();
  const faults = [
    ...(names.length > 0
      ? [`other roles may create in it (${listed(names)}): ${curesOf(schema, role, creators).join('; ')}`]
      : []),
    ...(objects.length > 0
      ? [`drop what other roles have created in it, or change its owner: ${listed(objects)}`]
      : []),
  ];
  if (faults.length === 0) return;
  const message = `PostgreSQL, schema ${schema}: ${faults.join('; ')}`;
  // Other roles have chosen names, and the message is printed to a terminal.
  throw new ServiceError('store.shared_schema', message.replaceAll(/\p{Cc}/gu, ' '));
}

/** Returns the statements that take the right away, in the order in which they are run. */
function curesOf(schema: string, role: string, creators: readonly Creator[]): string[] {
  const reported = creators.filter(({ others }) => others.length > 0);
  if (reported.some(({ isOwner }) => isOwner)) {
    return [
      `alter schema ${schema} owner to ${quoted(role)} if it is that of the store, drop schema ${schema} if it is not`,
    ];
  }
  const keeps = creators.some((creator) => creator.isOwn && !reported.includes(creator));
  const isCreator = creators.some(({ isOwn }) => isOwn);
  return [
    ...(isCreator && !keeps ? [`grant create on schema ${schema} to ${quoted(role)}`] : []),
    ...reported.map(
      ({ grantee }) =>
        `revoke create on schema ${schema} from ${grantee === null ? 'public' : `${quoted(grantee)} cascade`}`,
    ),
  ];
}

function listed(names: readonly string[]): string {
  const left = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

function parseNames(json: unknown): string[] {
  return JSON.parse(String(json ?? '[]')) as string[];
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** Selects the role of the session, objects of roles that are not trusted, and the members of each `Creator`. */
function creatorsQuery(schema: string): string {
  const providers = PROVIDERS.map(([group, superuser]) => `('${group}', '${superuser}')`).join(', ');
  return `with place as (
  select oid, nspname, nspowner, coalesce(nspacl, acldefault('n', nspowner)) as acl
  from pg_namespace where nspname = ${pg.escapeLiteral(schema)}
), trusted as (
  select r.oid from pg_roles r, place p where r.rolsuper or r.rolname = current_user
    or r.oid = (select datdba from pg_database where datname = current_database())
    or (r.oid = p.nspowner and p.nspname <> current_user)
    or exists (
      select from (values ${providers}) as v (administrators, superuser) join pg_roles s on s.rolname = v.superuser and s.rolsuper
      where v.administrators = r.rolname
    )
), other as (
  select r.oid, r.rolname, r.rolcanlogin from pg_roles r
  where not exists (select from trusted t where pg_has_role(r.oid, t.oid, 'MEMBER'))
), object as (
  select tableoid as class, oid, oprnamespace as namespace, oprowner as owner from pg_operator
  union all select tableoid, oid, pronamespace, proowner from pg_proc
  union all select tableoid, oid, relnamespace, relowner from pg_class where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
), creator as (
  select nspowner as role, true as is_owner from place
  union all select g.grantee, false from place, aclexplode(acl) g where g.privilege_type = 'CREATE' and g.grantee <> nspowner
)
select current_user,
  (select json_agg(i.type || ' ' || i.identity order by i.type, i.identity)
    from object o join other on other.oid = o.owner, pg_identify_object(o.class, o.oid, 0) i
    where o.namespace = (select oid from place) and not (
      pg_has_role(o.owner, 'MEMBER') and not (select rolsuper from pg_roles where rolname = current_user)
      and not exists (select from other m where m.rolcanlogin and pg_has_role(m.oid, o.owner, 'MEMBER'))
    )),
  case role when 0 then null else pg_get_userbyid(role) end, is_owner,
  case role when 0 then true else pg_has_role(role, 'USAGE') end,
  (select json_agg(rolname order by rolname) from other where rolcanlogin and case role when 0 then true else pg_has_role(other.oid, role, 'MEMBER') end)
from creator order by is_owner desc, role`;
}
