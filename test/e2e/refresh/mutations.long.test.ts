import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { REFRESH_ENV } from '../../support/refresh/killable-refresh.ts';
import { type MutatedRequest, mutateRefresh, VALID_REQUEST } from '../../support/refresh/mutate-refresh.ts';
import { keepConnection } from '../../support/refresh/mutations/connection.ts';
import { createJudge, type Judge, VALIDITY_SECONDS } from '../../support/refresh/mutations/judge.ts';
import { FRAMING_ENDS, LISTED } from '../../support/refresh/mutations/mutation.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { REFRESH_VECTORS, VECTOR_HOLDER } from '../../support/refresh/vectors.ts';
import { type ServerProcess, startServer } from '../../support/server/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { pollUntil } from '../../support/until.ts';

/** `SEED=… FIRST=1234 CASES=1` repeats one request. CI makes fewer. */
const SEED = process.env.SEED ?? 'proofgate-refresh-mutations';
const CASES = Number(process.env.CASES ?? (process.env.CI === 'true' ? 2000 : 20_000));
const FIRST = Number(process.env.FIRST ?? 0);
const CONNECTIONS = 4;
const STAGE = 1000;
const WARM_UP = 2000;
/**
 * glibc keeps up to 35 MB of freed bodies, depending on what is above them in its heap. With fixed
 * thresholds it returns each immediately, so that resident memory is what the server holds.
 */
const RETURN_FREED_MEMORY = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' };
const PROCESS_ERROR_LEVELS: readonly unknown[] = ['error', 'fatal', 50, 60];
const dataDir = temporaryFolder('refresh-mutations', afterAll);
/** Values of the request that no log line may contain (spec/refresh.md#privacy). */
const SECRETS = secretsOf(REFRESH_VECTORS.x_zkp_proof_header, REFRESH_VECTORS.package.form_fields);
const database = `libsql:${dataDir}/proofgate.db`;

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  /** Includes request bodies. */
  readonly external: number;
}

/** Outcomes of the requests of a run. */
class Tally {
  readonly faults: string[] = [];
  readonly outcomes = new Map<string, number>();
  sentBytes = 0;
  count = 0;

  add(outcome: string, request: MutatedRequest): void {
    this.count++;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    for (const piece of request.pieces) this.sentBytes += piece.length;
  }

  of(outcome: string): number {
    return this.outcomes.get(outcome) ?? 0;
  }
}

describe('POST /api/v1/refresh under mutated requests', () => {
  let server: ServerProcess;
  let engine: Engine;
  let judge: Judge;
  let port: number;

  beforeAll(async () => {
    await withStore(async (store) => {
      const { signup_id: signupId = '', orb_id: orbId = '' } = REFRESH_VECTORS.package.form_fields;
      await store.migrate();
      await enrolHolders(store, [VECTOR_HOLDER], Date.now(), { signupId, orbId });
      await registerOrbKey(store, orbId, REFRESH_VECTORS.package.orb_public_key_pem, Date.now());
    });
    const report = new URL('../../support/refresh/mutations/memory-report.mjs', import.meta.url);
    server = await startServer(dataDir, {
      ...REFRESH_ENV,
      ...RETURN_FREED_MEMORY,
      PROOFGATE_RATE_LIMITS_REFRESH_PER_ID_COMM: '0',
      PROOFGATE_REFRESH_VALIDITY: `PT${VALIDITY_SECONDS}S`,
      NODE_OPTIONS: `--import ${fileURLToPath(report)}`,
    });
    port = Number(new URL(server.publicUrl).port);
    const settings = { backend: 'auto', maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 } as const;
    engine = await createEngine({ workers: 0, ...settings });
    judge = createJudge(engine);
  });

  afterAll(async () => {
    await server.end('SIGKILL');
    await engine.close();
  });

  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore({ url: database, groupMaxRows: 512, groupMaxDelayMs: 0 });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Sends the requests with numbers from `from` up to but excluding `to`, over a few connections. */
  async function sendAll(from: number, to: number, tally: Tally): Promise<void> {
    let next = from;
    const work = async (): Promise<void> => {
      const connection = keepConnection(port);
      for (let index = next++; index < to; index = next++) {
        const request = mutateRefresh(SEED, index);
        const isOwn = request.outcomes.has('end');
        const { outcome, fault } = await judge.judge(
          request,
          await connection.exchange(request.pieces, isOwn),
        );
        tally.add(outcome, request);
        if (fault !== undefined) tally.faults.push(`${index} ${request.name}: ${outcome}: ${fault}`);
      }
      const rest = await connection.close();
      if (rest !== '') tally.faults.push(`a connection before ${next}: an answer without a request`);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  }

  async function isAlive(tally: Tally): Promise<void> {
    const connection = keepConnection(port);
    const answer = await connection.exchange(VALID_REQUEST.pieces, false);
    expect(await judge.judge(VALID_REQUEST, answer)).toEqual({ outcome: '200', fault: undefined });
    tally.add('200', VALID_REQUEST);
    await connection.close();
  }

  /** Returns the memory of the process after a garbage collection. */
  async function memory(): Promise<Memory> {
    const reports = (): string[] =>
      server
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{"memory":'));
    const before = reports().length;
    server.child.kill('SIGUSR2');
    await pollUntil(() => reports().length > before && server.output().endsWith('\n'));
    return (JSON.parse(reports().at(-1) ?? '') as { readonly memory: Memory }).memory;
  }

  it(
    `answers ${CASES} requests of seed ${SEED} with listed codes, survives, and leaks no memory`,
    async () => {
      const tally = new Tally();
      await isAlive(tally);
      let warm: Memory | undefined;
      let warmBytes = 0;
      for (let at = FIRST; at < FIRST + CASES; at += STAGE) {
        await sendAll(at, Math.min(at + STAGE, FIRST + CASES), tally);
        await isAlive(tally);
        if (at + STAGE !== FIRST + WARM_UP) continue;
        warm = await memory();
        warmBytes = tally.sentBytes;
      }
      const end = await memory();
      const grown = {
        sent: tally.sentBytes - warmBytes,
        rss: end.rss - (warm?.rss ?? 0),
        used: usedOf(end) - (warm === undefined ? 0 : usedOf(warm)),
      };
      const answers = Object.fromEntries([...tally.outcomes].sort());
      console.log(
        `seed ${SEED}: ${tally.count} requests, answers`,
        answers,
        `after ${WARM_UP}, bytes`,
        grown,
      );
      expect(tally.faults, tally.faults.join('\n')).toEqual([]);
      expect(logFaults(server.output())).toEqual([]);
      const [binding, ...others] = await withStore((store) =>
        store.issuance.bindingsOf(VECTOR_HOLDER.idComm),
      );
      expect(others).toEqual([]);
      expect(binding?.issuedCount).toBeGreaterThanOrEqual(tally.of('200'));
      // a request whose connection ended may still have been issued a credential
      expect(binding?.issuedCount).toBeLessThanOrEqual(tally.of('200') + tally.of('end'));
      if (CASES >= STAGE) {
        expect([...LISTED, ...FRAMING_ENDS].filter((outcome) => tally.of(outcome) === 0)).toEqual([]);
        expect(tally.of('200')).toBeGreaterThan(CASES / 5);
        expect(FRAMING_ENDS.reduce((sum, outcome) => sum + tally.of(outcome), 0)).toBeLessThan(CASES / 5);
      }
      if (CASES > 2 * WARM_UP) {
        // Keeping one body in ten would retain a tenth of the bytes sent. Resident memory also contains page caches of
        // the store, tens of MiB.
        expect(grown.rss).toBeLessThan(grown.sent / 11);
        expect(grown.used).toBeLessThan(grown.sent / 50);
      }
      expect((await server.end('SIGTERM')).code).toBe(0);
    },
    60_000 + CASES * 100,
  );
});

function secretsOf(
  header: (typeof REFRESH_VECTORS)['x_zkp_proof_header'],
  fields: Readonly<Record<string, string>>,
): string[] {
  const proof = JSON.parse(Buffer.from(header.base64, 'base64').toString()) as Readonly<
    Record<string, string>
  >;
  const hex = [header.query_id_comm, header.form_sub, proof.proof ?? '', proof.nullifierHash ?? ''];
  const texts = Object.entries(fields).filter(([name]) =>
    /_salt$|^signup_id$|^operator_id$|shares/.test(name),
  );
  return [
    ...hex.map((text) => text.slice(2, 34)),
    header.base64.slice(0, 40),
    ...texts.map(([, text]) => text),
  ];
}

function usedOf({ heapUsed, external }: Memory): number {
  return heapUsed + external;
}

/** Returns output lines that report an error, contain a value of the holder, or are not JSON. */
function logFaults(output: string): string[] {
  return output.split('\n').filter((line) => {
    if (SECRETS.some((secret) => line.includes(secret))) return true;
    if (line === '' || line.startsWith('{"memory":')) return false;
    if (!line.startsWith('{')) return true;
    const { level } = JSON.parse(line) as { readonly level?: unknown };
    return PROCESS_ERROR_LEVELS.includes(level);
  });
}
