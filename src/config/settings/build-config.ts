import type { RootSource } from '../roots/source-types.ts';
import { writeMember } from '../sources/read-file.ts';
import type { ProxyRules } from '../values/proxy-rules.ts';
import { CHAIN_NAMES } from './roots-settings.ts';
import { SETTINGS } from './schema.ts';
import type { Setting, SettingValue } from './setting.ts';
import { frontEndsOf, processors } from './shape.ts';
import type { Config, ConfiguredApp, LoginFiles, PageLogo, RowMembers } from './types.ts';

/** Values by key, checked against the schema. */
export type CheckedValues = Readonly<Record<string, SettingValue | undefined>>;

const KEY_BINDINGS = ['verify.key.', 'verify.worldid4.key.'];
const PROVIDERS = 'roots.rpc.';
const ORACLES = 'roots.oracle.';
/** Keys, or prefixes of keys, that `buildConfig` reads individually. */
const READ_INDIVIDUALLY = [
  ...KEY_BINDINGS,
  PROVIDERS,
  ORACLES,
  'server.frontEnds',
  'roots.sources',
  'roots.quorum',
  'apps.list',
];

const TYPES: Readonly<Record<string, string>> = {
  integer: 'number',
  boolean: 'boolean',
  choice: 'string',
  text: 'string',
};

/** Converts the value of a row to the value of its member. */
function memberOf(setting: Setting, value: SettingValue | undefined): unknown {
  const { key, type, default: usual } = setting;
  const mayBeUnset = usual === undefined || (typeof usual === 'object' && 'compute' in usual);
  if (value === undefined ? mayBeUnset : typeof value === TYPES[type]) return value;
  if (type === 'list' && Array.isArray(value)) return value.map(String);
  throw new TypeError(`setting ${key}: the checked value does not have the type of the setting`);
}

/** Returns the members of all rows. Their types are those of `RowMembers`, since both follow from the same list. */
function rowMembers(values: CheckedValues): RowMembers {
  const members: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    const { key } = setting;
    if (READ_INDIVIDUALLY.some((start) => key.startsWith(start))) continue;
    writeMember(members, key.split('.'), memberOf(setting, values[key]));
  }
  return members as unknown as RowMembers;
}

/** Returns the number of front ends; `auto` takes no more than there are workers. */
function frontEnds(values: CheckedValues): number {
  const value = values['server.frontEnds'];
  const count = frontEndsOf(value, processors());
  return value === 'auto' ? Math.max(1, Math.min(count, Number(values['engine.workers']))) : count;
}

/**
 * Builds the typed settings from checked values, from the readings of `apps.list`, `roots.sources`, the page logo and the
 * proxies of outgoing calls, and from the files with the login of the store.
 */
export function buildConfig(
  values: CheckedValues,
  listedApps: readonly ConfiguredApp[],
  logo: PageLogo | undefined,
  sources: readonly RootSource[],
  proxies: ProxyRules,
  loginFiles?: LoginFiles,
): Config {
  const texts = Object.entries(values).filter((entry) => typeof entry[1] === 'string') as [string, string][];
  const members = rowMembers(values);
  const rpc = CHAIN_NAMES.map((chain) => [chain, values[PROVIDERS + chain] as readonly string[]] as const);
  const quorum = values['roots.quorum'];
  return {
    ...members,
    server: {
      ...members.server,
      frontEnds: frontEnds(values),
    },
    verify: {
      ...members.verify,
      keys: Object.fromEntries(
        texts.filter(([key]) => KEY_BINDINGS.some((prefix) => key.startsWith(prefix))),
      ),
    },
    roots: {
      ...members.roots,
      sources,
      rpc: Object.fromEntries(rpc.filter(([, urls]) => urls.length > 0)),
      quorum: quorum === 'auto' ? quorum : Number(quorum),
      oracles: Object.fromEntries(
        texts.flatMap(([key, value]) =>
          key.startsWith(ORACLES) ? [[key.slice(ORACLES.length), value]] : [],
        ),
      ),
    },
    apps: { ...members.apps, list: listedApps },
    outgoing: { ...members.outgoing, proxies },
    storage: { ...members.storage, ...(loginFiles === undefined ? {} : { loginFiles }) },
    signin: { ...members.signin, logo },
  };
}
