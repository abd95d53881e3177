/** A service in a process of its own, with planted requests, and everything in which they must not be found again. */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openStore, type Store } from '../../../src/storage/index.ts';
import { portOf, type RefreshDraft, sendDraft } from '../../support/refresh/draft.ts';
import { createHeaderMaker } from '../../support/refresh/holder.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { headerOf, type RawResponse, until } from '../../support/server/raw-client.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { type PlantedRefresh, type PlantWish, plantRefresh } from './planted-refresh.ts';
import type { Standing } from './planted-refusals.ts';
import { createTraces, type Traces } from './traces.ts';

/** What the store keeps of a credential with a package (spec/refresh.md#stored-records), by column. */
export const KEPT: Readonly<Record<string, readonly string[]>> = {
  idComm: ['issued_credentials.id_comm', 'signup.id_comm', 'sub_bindings.id_comm'],
  sub: ['issued_credentials.sub', 'sub_bindings.sub'],
  signup_id: ['signup.signup_id'],
  orb_id: ['orb_keys.orb_id', 'signup.orb_id'],
  operator_id: ['issued_credentials.operator_id'],
  encrypted_user_id: ['issued_credentials.encrypted_user_id'],
  'manifest hash': ['issued_credentials.hashes_json_sha256'],
  address: ['refresh_attempts.address_key'],
};
/** What the store has of a holder before anything is issued, and of any request. */
export const IMPORTED: readonly string[] = ['idComm', 'signup_id', 'orb_id', 'address'];

/** SIGUSR2 ends all threads of the engine, as a fault of memory would: no request can ask for that. */
const WORKER_KILLER = `
  import { syncBuiltinESMExports } from 'node:module';
  import threads from 'node:worker_threads';
  const ofEngine = new Set();
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, options);
      if (!String(file).includes('piscina')) return;
      ofEngine.add(this);
      this.on('exit', () => ofEngine.delete(this));
    }
  };
  syncBuiltinESMExports();
  if (threads.isMainThread) process.on('SIGUSR2', () => { for (const worker of ofEngine) void worker.terminate(); });
`;

/** A request with what is needed to look for it. */
export interface Planted extends PlantedRefresh {
  /** The values of this request alone. */
  readonly own: Traces;
  /** Notes what the store may hold nowhere, once the last value is planted; gives the draft. */
  finish(draft: RefreshDraft): RefreshDraft;
}

/** What tests of secrets work with. */
export interface SecretsWorld {
  readonly server: ServerProcess;
  /** A connection beside the service, as a command has it. */
  readonly store: Store;
  readonly database: InstanceType<typeof Database>;
  /** Everything that was sent, and all keys. */
  readonly everything: Traces;
  /** What the store may hold nowhere. */
  readonly unstored: Traces;
  readonly masterKey: Uint8Array;
  /** A request that is planted all over; `stored` are the kinds that the store may hold. */
  plant(wish: PlantWish, stored: readonly string[]): Promise<Planted>;
  /** Imports enrolment and orb key of a request. */
  enrol(planted: PlantedRefresh, standing?: Standing): Promise<void>;
  /** Sends a request and waits until its line is in the log. */
  send(draft: RefreshDraft): Promise<RawResponse>;
  /** Values found in what the process printed, in its metrics, and in the files of its database. */
  leaks(): Promise<Readonly<Record<'log' | 'metrics' | 'store', readonly string[]>>>;
  end(): Promise<void>;
}

/** Starts the service with its log at its most talkative. @param env - Variables over those of all such tests. */
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
    ...{ server, store, database, everything, unstored, masterKey },
    async plant(wish, stored) {
      const own = createTraces();
      const planted = await plantRefresh(maker, [own, everything], wish);
      const network = planted.note('address', plantedNetwork());
      const lines = [...(planted.draft.lines ?? []), `x-forwarded-for: 2001:db8:${network}::1`];
      return {
        ...{ ...planted, draft: { ...planted.draft, lines }, own },
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
      // a refusal by a rate limit has no line when one was logged before it
      if (answer.status !== 429) await until(() => server.output().includes(id));
      return answer;
    },
    async leaks() {
      const files = readdirSync(dataDir).filter((name) => name.startsWith('proofgate.db'));
      if (!files.includes('proofgate.db-wal')) throw new Error('there is no write-ahead log to look into');
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

/** The middle of an address of the documentation (RFC 3849): what its network has alone. */
function plantedNetwork(): string {
  return [0, 1].map(() => randomInt(0x1000, 0x10000).toString(16)).join(':');
}
