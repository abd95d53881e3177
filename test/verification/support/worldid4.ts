/** Proofs and requests of `test/vectors/worldid4-proofs.json`, and the state that they need. */
import { newAppRow } from '../../../src/apps/new-app-row.ts';
import { OPEN_POLICY, type PolicyFields } from '../../../src/config/apps/policy.ts';
import { decodeWord } from '../../../src/semaphore/words.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { Bytes32, Environment } from '../../../src/storage/values.ts';
import type { IssuerKey4Row, OprfKey4Row } from '../../../src/storage/worldid4-keys.ts';
import worldId4 from '../../vectors/worldid4-proofs.json' with { type: 'json' };
import type { Fields } from './vectors.ts';

interface Point {
  readonly x: string;
  readonly y: string;
}

export interface HttpCase {
  readonly name: string;
  readonly path: string;
  readonly request: Fields;
  readonly expect: { readonly status: number; readonly body: Fields };
}

export const WORLDID4: typeof worldId4 = worldId4;

/** Settings under which the trapdoor cases hold. */
export const WORLDID4_SETTINGS: Readonly<Record<string, string>> = {
  'verify.worldid4.enabled': 'true',
  'verify.worldid4.key.staging': 'trapdoor-15',
};

/** Returns a case by its name; throws if there is none. */
export function caseNamed(name: string): HttpCase {
  const found = WORLDID4.trapdoor.cases.find((row) => row.name === name);
  if (!found) throw new Error(`no case ${name}`);
  return found;
}

export function word(text: string): Bytes32 {
  const bytes = decodeWord(text);
  if (!bytes) throw new Error(`not a word: ${text}`);
  return bytes;
}

const rest = (environment: Environment, { x, y }: Point, now: number): Omit<OprfKey4Row, 'rpId'> => ({
  environment,
  x: word(x),
  y: word(y),
  source: 'operator',
  updatedAt: now,
  removedAt: null,
});

export function issuerRow(
  environment: Environment,
  issuer: Point & { readonly issuer_schema_id: number },
  now: number,
): IssuerKey4Row {
  return { issuerSchemaId: String(issuer.issuer_schema_id), ...rest(environment, issuer, now) };
}

export function oprfRow(environment: Environment, rpId: string, point: Point, now: number): OprfKey4Row {
  return { rpId, ...rest(environment, point, now) };
}

/** Makes a row of the tree account, by default of a current root. */
export function accountRoot(environment: Environment, root: string, change: Partial<RootRow>): RootRow {
  const row = { environment, tree: 'account', root: word(root), source: 'operator', keyId: null } as const;
  return { ...row, receivedAt: 0, supersededAt: null, ...change };
}

/** Adds an app whose rp_id need not follow from its app_id. */
export async function addApp(
  store: Store,
  appId: string,
  rpId: string,
  now: number,
  policy: PolicyFields = OPEN_POLICY,
): Promise<void> {
  await store.apps.create({
    ...newAppRow({ client_id: appId, policy }, { isDevelopment: false, now }),
    rpId,
  });
}

/** Writes apps, keys and roots of the trapdoor cases. */
export async function seedTrapdoor(
  store: Store,
  now: number,
  environment: Environment = 'staging',
): Promise<void> {
  const { apps, oprf_keys, issuers, roots } = WORLDID4.trapdoor.setup;
  for (const app of apps) {
    if (!(await store.apps.findByAppId(app.app_id))) await addApp(store, app.app_id, app.rp_id, now);
  }
  await store.worldId4Keys.put(
    issuers.map((issuer) => issuerRow(environment, issuer, now)),
    oprf_keys.map((key) => oprfRow(environment, key.rp_id, key, now)),
  );
  await store.roots.put(
    roots.map(({ root, seconds_ago: seconds }) =>
      accountRoot(environment, root, {
        // The current root is newer than the one that a service of this profile starts with.
        receivedAt: seconds === undefined ? now + 1 : now - 1_000_000,
        supersededAt: seconds === undefined ? null : now - seconds * 1000,
      }),
    ),
  );
}
