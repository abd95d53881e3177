/** A service in a separate process with planted requests, and the outputs that must not contain them. */

import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { portOf, type RefreshDraft, sendDraft } from '../../support/refresh/draft.ts';
import { createHeaderMaker } from '../../support/refresh/holder.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { pollUntil } from '../../support/until.ts';
import { type PlantedRefresh, type PlantOptions, plantRefresh } from './planted-refresh.ts';
import type { Standing } from './planted-refusals.ts';
import { createTraces, type Traces } from './traces.ts';

/** Columns of what is stored for a credential with a package (spec/refresh.md#stored-records), by kind of value. */
export const KEPT: Readonly<Record<string, readonly string[]>> = {
  idComm: ['issued_credentials.id_comm', 'signup.id_comm', 'sub_bindings.id_comm'],
  sub: ['issued_credentials.sub', 'sub_bindings.sub'],
  signup_id: ['signup.signup_id'],
  // the audit log names the orb whose keys an operator imported
  orb_id: ['audit_log.target', 'orb_keys.orb_id', 'signup.orb_id'],
  operator_id: ['issued_credentials.operator_id'],
  encrypted_user_id: ['issued_credentials.encrypted_user_id'],
  'manifest hash': ['issued_credentials.hashes_json_sha256'],
  address: ['refresh_attempts.address_key'],
};
/** Kinds that are stored of an enrolled holder and of any request. */
export const IMPORTED: readonly string[] = ['idComm', 'signup_id', 'orb_id', 'address'];

/** On SIGUSR2, ends all threads of the engine, as a memory fault would: no request can cause that. */
const WORKER_KILLER = `
  import { syncBuiltinESMExports } from 'node:module';
  import threads from 'node:worker_threads';
  const workers = new Set();
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, options);
      if (String(file).includes('/storage/')) return;
      workers.add(this);
      this.on('exit', () => workers.delete(this));
    }
  };
  syncBuiltinESMExports();
  if (threads.isMainThread) process.on('SIGUSR2', () => { for (const worker of workers) void worker.terminate(); });
`;

/** A request and the values to search for. */
export interface Planted extends PlantedRefresh {
  /** The values of this request alone. */
  readonly own: Traces;
  /** Notes the values that must not be stored, once the last is planted, and returns the draft. */
  finish(draft: RefreshDraft): RefreshDraft;
}

/** Fixtures for tests of secrets. */
export interface SecretsWorld {
  readonly server: ServerProcess;
  /** Connection to the store of the running service, as a command opens it. */
  readonly store: Store;
  readonly database: InstanceType<typeof Database>;
  /** All values that were sent, and all keys. */
  readonly everything: Traces;
  /** Values that the store must not contain. */
  readonly unstored: Traces;
  readonly masterKey: Uint8Array;
  /** Makes a request with planted inputs; `stored` are the kinds that the store may contain. */
  plant(options: PlantOptions, stored: readonly string[]): Promise<Planted>;
  /** Stores the enrolment and the orb key that a request needs. */
  enrol(planted: PlantedRefresh, standing?: Standing): Promise<void>;
  /** Sends a request and waits until it is logged. */
  send(draft: RefreshDraft): Promise<RawResponse>;
  /** Returns the values found in the process's output, metrics and database files. */
  leaks(): Promise<Readonly<Record<'log' | 'metrics' | 'store', readonly string[]>>>;
  end(): Promise<void>;
}

/** Starts the service with log level trace. @param env - Variables in addition to those of all these tests. */
export async function openSecretsWorld(env: Readonly<Record<string, string>>): Promise<SecretsWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proofgate-refresh-secrets-'));
  const file = join(dataDir, 'proofgate.db');
  const masterKey = randomBytes(32);
  const maker = await createHeaderMaker();
  const store = await openStore({ url: `libsql:${file}`, groupMaxRows: 512, groupMaxDelayMs: 0 });
  await store.migrate();
  const database = new Database(file);
  database.exec('pragma busy_timeout = 10000');
  const everything = createTraces();
  const unstored = createTraces();
  for (const traces of [everything, unstored]) traces.note('master key', masterKey);
  const server = await startServer(dataDir, {
    PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
    PROOFGATE_SIGNIN_ENABLED: 'false',
    PROOFGATE_KEYS_MASTER_KEY: masterKey.toString('base64'),
    PROOFGATE_LOG_LEVEL: 'trace',
    PROOFGATE_LOG_FORMAT: 'json',
    PROOFGATE_STORAGE_CACHE_SECONDS: '0',
    PROOFGATE_PROXY_TRUSTED: '["127.0.0.1/32"]',
    PROOFGATE_PROXY_HEADER: 'x-forwarded-for',
    PROOFGATE_ENGINE_WORKERS: '2',
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(WORKER_KILLER)}`,
    ...env,
  });
  return {
    server,
    store,
    database,
    everything,
    unstored,
    masterKey,
    async plant(options, stored) {
      const own = createTraces();
      const planted = await plantRefresh(maker, [own, everything], options);
      const network = planted.note('address', plantedNetwork());
      const lines = [...(planted.draft.lines ?? []), `x-forwarded-for: 2001:db8:${network}::1`];
      return {
        ...planted,
        draft: { ...planted.draft, lines },
        own,
        finish(draft) {
          for (const [kind, value] of planted.values) if (!stored.includes(kind)) unstored.note(kind, value);
          return draft;
        },
      };
    },
    enrol: (planted, standing) => enrolAs(store, planted, standing),
    async send(draft) {
      const answer = await sendDraft(portOf(server.publicUrl), draft);
      const id = headerOf(answer, 'x-request-id') ?? 'no id';
      // a repeated refusal by a rate limit is not logged
      if (answer.status !== 429) await pollUntil(() => server.output().includes(id));
      return answer;
    },
    async leaks() {
      const files = readdirSync(dataDir).filter((name) => name.startsWith('proofgate.db'));
      if (!files.includes('proofgate.db-wal'))
        throw new Error('expected a write-ahead log next to the database');
      return {
        log: everything.in(server.output()),
        metrics: everything.in(await (await fetch(`${server.adminUrl}/metrics`)).text()),
        store: unstored.in(Buffer.concat(files.map((name) => readFileSync(join(dataDir, name))))),
      };
    },
    async end() {
      server.child.kill('SIGKILL');
      await server.end();
      await maker.close();
      await store.close();
      database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function enrolAs(
  store: Store,
  { holder, enrolment, custody }: PlantedRefresh,
  standing?: Standing,
): Promise<void> {
  if (standing === 'unknown') return;
  const signupId = standing === 'of another signup' ? `${enrolment.signupId} of another` : enrolment.signupId;
  const status = standing === 'revoked' ? 'revoked' : 'active';
  await enrolHolders(store, [holder], Date.now(), { ...enrolment, signupId, status });
  const keys = await store.orbKeys.list(custody.orbId);
  if (standing === 'of an orb without key' || keys.length > 0) return;
  await registerOrbKey(store, custody.orbId, custody.orbKey.pem, Date.now());
}

/** Makes two random groups of an address in the documentation prefix (RFC 3849), unique to its network. */
function plantedNetwork(): string {
  return [0, 1].map(() => randomInt(0x1000, 0x10000).toString(16)).join(':');
}
