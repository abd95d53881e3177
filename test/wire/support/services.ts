/** The services that receive the corpus: fixed configurations and seeds, one clock that only cases advance. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePackage } from '../../support/refresh/custody-package.ts';
import { createHeaderMaker, type HeaderMaker, testHolder } from '../../support/refresh/holder.ts';
import { enrolHolders, REFRESH_SETTINGS, registerOrbKey } from '../../support/refresh/service.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { addClient, PUBLIC_CLIENT, SECRET_HMAC_KEY } from '../../support/signin/clients.ts';
import { addWalletRoots } from '../../support/test-wallet.ts';
import semaphoreProofs from '../../vectors/semaphore-proofs.json' with { type: 'json' };
import proofs from '../../vectors/verify/proofs.json' with { type: 'json' };
import { createVariables, type Variables } from './variables.ts';
import type { Listener } from './wire-case.ts';

type Store = Awaited<ReturnType<StartedApp['openStore']>>;
type RootRow = Parameters<Store['roots']['put']>[0][number];
type Settings = Readonly<Record<string, string>>;

/** Running services, and the data from which cases build their requests. */
export interface Services {
  readonly variables: Variables;
  readonly headers: HeaderMaker;
  /** Returns the time of the services, in milliseconds since the epoch. */
  now(): number;
  advance(seconds: number): void;
  /** Returns the port of a listener, and a path that it always answers. */
  addressOf(listener: Listener): { readonly port: number; readonly probe: string };
  end(): Promise<void>;
}

/** The answer of a wallet with a proof. */
export interface KnownAnswer {
  readonly proof: string;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly verification_level: string;
}

/** A proof with the client and the nonce that it is for. */
interface KnownProof extends Omit<KnownAnswer, 'verification_level'> {
  readonly app_id: string;
  readonly signal: string;
}

/** Time at which the corpus begins, in milliseconds since the epoch. */
const START = Date.UTC(2026, 5, 1, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ADMIN_TOKEN = 'a-token-that-nobody-guesses-0123456789';

/** Ids of the registered apps, by the names that cases use. */
type ClientIds = Readonly<
  Record<
    | 'web'
    | 'native'
    | 'signalIsNonce'
    | 'disabled'
    | 'codeOnly'
    | 'unregistered'
    | 'inactive'
    | 'production'
    | 'vectors'
    | 'vectorsStaging',
    string
  >
>;

/** Ids of the registered apps. */
export const CLIENTS: ClientIds = {
  web: `app_staging_${'1'.repeat(32)}`,
  native: `app_staging_${'2'.repeat(32)}`,
  signalIsNonce: `app_staging_${'3'.repeat(32)}`,
  disabled: `app_staging_${'4'.repeat(32)}`,
  codeOnly: `app_staging_${'5'.repeat(32)}`,
  unregistered: `app_staging_${'6'.repeat(32)}`,
  inactive: `app_staging_${'7'.repeat(32)}`,
  production: `app_${'8'.repeat(32)}`,
  /** The app of the proofs of test/vectors/verify. */
  vectors: 'app_369183bd38f1641b6964ab51d7a20434',
  vectorsStaging: 'app_staging_45068dca85829d2fd90e2dd6f0bff997',
};

/** A proof from the production circuit, with its client and nonce. */
export const KNOWN: KnownProof = known();

/** The answer of a wallet with this proof. */
export const KNOWN_ANSWER: KnownAnswer = {
  proof: KNOWN.proof,
  merkle_root: KNOWN.merkle_root,
  nullifier_hash: KNOWN.nullifier_hash,
  verification_level: 'orb',
};

/** Messages that an unknown client puts on the bridge. */
export const MESSAGES: readonly { readonly iv: string; readonly payload: string }[] = [1, 2].map((byte) => ({
  iv: Buffer.alloc(12, byte).toString('base64'),
  payload: Buffer.alloc(40, byte).toString('base64'),
}));

/** Redirect URI of the web client. */
export const CALLBACK = 'https://shop.example/cb';

const SHARED: Settings = {
  'server.host': '127.0.0.1',
  'apps.secretHmacKey': SECRET_HMAC_KEY,
  'keys.masterKey': Buffer.alloc(32, 9).toString('base64'),
  'refresh.signingSeed': '5a'.repeat(32),
};

const NO_LIMITS: Settings = Object.fromEntries(
  ['authorize', 'page', 'status', 'statusPerAddress', 'statusFailures', 'token', 'introspect', 'revoke']
    .concat(['par', 'clientAuthFailures', 'clientCalls', 'bridge'])
    .map((name) => [`rateLimits.${name}`, '0']),
);

/** Everything enabled, no rate limits. */
const OPEN: Settings = {
  ...SHARED,
  ...NO_LIMITS,
  ...REFRESH_SETTINGS,
  'signin.enabled': 'true',
  'verify.maxResponses': '8',
};

/** A production deployment: below a path, behind a TLS proxy, with the settings that show on the wire. */
const PRODUCTION: Settings = {
  ...SHARED,
  ...NO_LIMITS,
  profile: 'production',
  baseUrl: 'https://id.example/auth',
  issuerUrl: 'https://refresh.example/issuer',
  verifyUrl: 'https://verify.example/verifier',
  'admin.token': ADMIN_TOKEN,
  'metrics.requireToken': 'true',
  'rateLimits.adminFailures': '3',
  'groth16.enabled': 'true',
  'refresh.challengeRequired': 'true',
  'signin.introspectionLegacy401': 'true',
  'signin.operatorName': 'Example & Sons',
  'signin.policyUrl': 'https://operator.example/privacy',
  'signin.termsUrl': 'https://operator.example/terms',
  'signin.documentationUrl': 'https://operator.example/docs',
  'signin.accentColor': '#005f5f',
  'shutdown.drainDelayMs': '0',
};

/** One request a minute of each kind. */
const LIMITED: Settings = {
  ...SHARED,
  ...REFRESH_SETTINGS,
  'signin.enabled': 'true',
  ...Object.fromEntries(Object.keys(NO_LIMITS).map((name) => [name, '1'])),
  // One challenge and one proof over it.
  'rateLimits.refreshProofAttemptsPerMinute': '2',
  'refresh.challengeRequired': 'true',
  'verify.bodyLimitBytes': '1024',
  'refresh.bodyLimitBytes': '65536',
};

/** Every interface disabled. */
const DISABLED: Settings = {
  ...SHARED,
  'verify.enabled': 'false',
  'groth16.enabled': 'false',
  'signin.enabled': 'false',
  'bridge.enabled': 'false',
  'refresh.enabled': 'false',
  'metrics.enabled': 'false',
};

/** Starts the services and fills their stores. */
export async function startServices(): Promise<Services> {
  const variables = createVariables();
  let time = START;
  const now = (): number => time;
  const start = (settings: Settings): Promise<StartedApp> => startApp({ settings, now });
  const open = await start(OPEN);
  const production = await startProduction(now);
  const limited = await start(LIMITED);
  const disabled = await start(DISABLED);
  await withStore(open, (store) => seedOpen(store, variables));
  await withStore(production.app, (store) => seedProduction(store, variables));
  await withStore(limited, async (store) => {
    await enrolHolders(store, [testHolder('limited')], START);
    await addWeb(store, variables, 'limited');
  });
  const headers = await createHeaderMaker();
  variables.set('admin token', ADMIN_TOKEN);
  for (const [index, { iv, payload }] of MESSAGES.entries()) {
    variables.set(`message ${index} iv`, iv);
    variables.set(`message ${index} payload`, payload);
  }
  const ports: Readonly<Record<Listener, string>> = {
    open: open.publicUrl,
    'open admin': open.adminUrl,
    production: production.app.publicUrl,
    'production admin': production.app.adminUrl,
    limited: limited.publicUrl,
    disabled: disabled.publicUrl,
  };
  return {
    variables,
    headers,
    now,
    advance: (seconds) => {
      time += seconds * 1000;
    },
    addressOf: (listener) => ({
      port: Number(new URL(ports[listener]).port),
      probe: listener.endsWith('admin') ? '/health/live' : '/healthz',
    }),
    async end() {
      await headers.close();
      for (const app of [open, limited, disabled]) await app.stop();
      await production.end();
    },
  };
}

async function withStore(app: StartedApp, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await app.openStore();
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** Starts the production service. Production requires a configured store, whose folder `end` removes. */
async function startProduction(
  now: () => number,
): Promise<{ readonly app: StartedApp; end(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-wire-'));
  const settings = { ...PRODUCTION, 'storage.url': `libsql:${join(dataDir, 'proofgate.db')}` };
  const app = await startApp({ settings, now, dataDir });
  return {
    app,
    async end() {
      await app.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function seedOpen(store: Store, variables: Variables): Promise<void> {
  await addWalletRoots(store, START);
  await store.roots.put(VECTOR_ROOTS);
  await addWeb(store, variables, 'web');
  await addClient(store, { ...PUBLIC_CLIENT, clientId: CLIENTS.native, name: 'Demo App' }, START);
  const more = [
    ['signalIsNonce', { signalIsNonce: true, name: 'Wallet <Shop> & "Sons"' }],
    ['disabled', { status: 'disabled' }],
    ['codeOnly', { responseTypes: ['code'] }],
    ['production', { isProduction: true }],
    ['vectors', { redirectUris: [] }],
    ['vectorsStaging', { redirectUris: [] }],
  ] as const;
  for (const [name, changes] of more) {
    const { clientSecret } = await addClient(store, { ...changes, clientId: CLIENTS[name] } as never, START);
    rememberSecret(variables, name, CLIENTS[name], clientSecret);
  }
  for (const [name, verification] of [
    ['unregistered', 'none'],
    ['inactive', 'pending'],
  ] as const) {
    const create: Store['apps']['create'] = (app, secret) =>
      store.apps.create({ ...app, verification } as typeof app, secret);
    await addClient({ apps: { ...store.apps, create } }, { clientId: CLIENTS[name] }, START);
  }
  const { orbKey, orbId, signupId } = makePackage();
  await registerOrbKey(store, orbId, orbKey.pem, START);
  await enrolHolders(store, [testHolder('packaged')], START, { orbId, signupId });
  await enrolHolders(store, [testHolder('alice'), testHolder('bob')], START);
  await enrolHolders(store, [testHolder('revoked')], START, { status: 'revoked' });
}

function known(): KnownProof {
  for (const proof of semaphoreProofs) {
    if (proof.app_id?.startsWith('app_') && proof.action === '' && proof.signal !== undefined) {
      return { ...proof, app_id: proof.app_id, signal: proof.signal };
    }
  }
  throw new Error('expected a proof of a sign-in in test/vectors/semaphore-proofs.json');
}

async function seedProduction(store: Store, variables: Variables): Promise<void> {
  await addWeb(store, variables, 'production web');
  const client = { clientId: KNOWN.app_id, signalIsNonce: true, name: 'Known Shop' };
  const { clientSecret } = await addClient(store, client, START);
  rememberSecret(variables, 'known', KNOWN.app_id, clientSecret);
  await store.roots.put([
    {
      environment: 'staging',
      tree: 'orb',
      root: Buffer.from(KNOWN.merkle_root.slice(2), 'hex') as unknown as RootRow['root'],
      receivedAt: START,
      supersededAt: null,
      source: 'operator',
      keyId: 'semaphore-depth30',
    },
  ]);
  await enrolHolders(store, [testHolder('alice')], START);
}

/** Adds the web client with a logo; stores its secret in the variables `… secret` and `… basic`. */
async function addWeb(store: Store, variables: Variables, name: string): Promise<void> {
  const logo = { contentType: 'image/png', bytes: Buffer.from('89504e470d0a1a0a', 'hex') } as const;
  const { clientSecret } = await addClient(store, { clientId: CLIENTS.web, logo }, START);
  rememberSecret(variables, name, CLIENTS.web, clientSecret);
}

function rememberSecret(variables: Variables, name: string, clientId: string, secret: string): void {
  variables.set(`${name} secret`, secret);
  variables.set(`${name} token`, `${clientId}.${secret}`);
  variables.set(`${name} basic`, Buffer.from(`${clientId}:${secret}`).toString('base64'));
}

/** Past roots of test/vectors/verify: one hour old, except the first, which is too old for any proof. */
const VECTOR_ROOTS: readonly RootRow[] = (['production', 'staging'] as const).flatMap((environment) =>
  [...new Map(proofs.map((proof) => [proof.merkle_root, proof])).values()].map(
    ({ tree, merkle_root }, index) => ({
      environment,
      tree: tree as RootRow['tree'],
      root: Buffer.from(merkle_root.slice(2), 'hex') as RootRow['root'],
      receivedAt: START - (index === 0 ? 8 * DAY_MS : HOUR_MS),
      supersededAt: START,
      source: 'operator',
      keyId: 'dev-depth30',
    }),
  ),
);
