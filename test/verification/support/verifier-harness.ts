import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import type { Engine, Verdict, VerifyOptions } from '../../../src/engine/engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics/metrics.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import type { NullifierEntry, NullifierRecord } from '../../../src/storage/nullifiers/nullifier-rows.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { Use } from '../../../src/storage/uses.ts';
import type { Environment } from '../../../src/storage/values.ts';
import type { IssuerKey4Row, OprfKey4Row } from '../../../src/storage/worldid4-keys.ts';
import { createRequestParser } from '../../../src/verification/request/parse-request.ts';
import type { VerifyOutcome } from '../../../src/verification/run/verify-outcome.ts';
import {
  createRequestVerifier,
  type RequestVerifier,
  type VerifyCall,
  type VerifyParts,
} from '../../../src/verification/run/verify-request.ts';
import { ISSUERS, RULES4 } from './issuer-lists.ts';
import { bytes, vector } from './vectors.ts';

/** Time of the clock of a harness. */
export const NOW: number = Date.UTC(2026, 0, 15, 9, 30, 0, 123);
/** The only app of a harness, that of the first entry of the data. */
export const APP_ID: string = vector(0).app_id ?? '';

const RP_ID: string = vector(0).rp_id ?? '';

/** One call of the engine. */
export interface EngineCall {
  readonly keyId: string;
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  readonly options: VerifyOptions;
}

/** A key of World ID 4.0. */
export type KeyPoint = Pick<IssuerKey4Row, 'x' | 'y'>;

/** Behaviour of the parts of a harness, which tests change. */
export interface PartBehaviour {
  /** Whether rows and keys are in memory, unless their behaviour returns a promise. */
  isInMemory: boolean;
  /** Free slots in the queue of the engine. */
  room: number;
  verdict: (asked: EngineCall) => Verdict | Promise<Verdict>;
  /** Members of the row that differ from a current root received a minute ago; undefined if there is no such root. */
  root: (root: Uint8Array) => Partial<RootRow> | Promise<Partial<RootRow> | undefined> | undefined;
  /** Asks the source of every tree for a root; undefined if no tree has a source. */
  refresh: ((root: Uint8Array) => Promise<Partial<RootRow> | undefined>) | undefined;
  /** Until when a source is known to have had the same current root, in milliseconds since the epoch. */
  confirmedUntil: (source: string) => number | undefined;
  keyOf: () => string | undefined;
  ensure: (keyId: string, inputCount?: number) => Promise<void>;
  issuer: (environment: Environment, id: string) => KeyPoint | Promise<KeyPoint | undefined>;
  oprfKey: (environment: Environment, rpId: string) => KeyPoint | Promise<KeyPoint | undefined>;
  integrity: VerifyParts['integrity'];
  findApp: (id: string) => Promise<void> | void;
  record: (entry: NullifierEntry) => Promise<NullifierRecord>;
  /** Answers whether a session proof is used for the first time. */
  claim: (use: Use) => Promise<boolean>;
  deadlineMs: number;
  startDeadline: VerifyCall['timer']['startDeadline'];
}

/** The verification flow over parts that the test controls, and the calls that these received. */
export interface VerifierHarness {
  readonly behaviour: PartBehaviour;
  readonly verifyRequest: RequestVerifier;
  /** Calls the flow without HTTP. */
  call(body: unknown, id?: string, signal?: AbortSignal): Promise<VerifyOutcome>;
  readonly engineCalls: readonly EngineCall[];
  readonly recorded: readonly NullifierEntry[];
  readonly faults: readonly unknown[];
  readonly metrics: Metrics;
}

/** Where rows and keys are: a request takes another way for each. */
export const PLACES = [
  { place: 'in memory', isInMemory: true },
  { place: 'in the store', isInMemory: false },
] as const;

/** Creates a harness whose parts all work. The root 0x…dead and the app of path id `unknown` are unknown. */
export function createVerifierHarness(isInMemory = true): VerifierHarness {
  const ensure = async (): Promise<void> => undefined;
  const findApp = (): void => undefined;
  const behaviour: PartBehaviour = {
    isInMemory,
    room: 1000,
    verdict: () => ({ ok: true }),
    root: (root) => (toHex(root).endsWith('00dead') ? undefined : {}),
    refresh: undefined,
    confirmedUntil: () => undefined,
    keyOf: () => 'semaphore-depth30',
    issuer: () => ({ x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(2) }),
    oprfKey: () => ({ x: new Uint8Array(32).fill(3), y: new Uint8Array(32).fill(4) }),
    integrity: undefined,
    ensure,
    findApp,
    record: async () => ({ isNew: true, createdAt: NOW }),
    claim: async () => true,
    deadlineMs: 10_000,
    startDeadline: (ms, onPassed) => void setTimeout(onPassed, ms).unref(),
  };
  const engineCalls: EngineCall[] = [];
  const recorded: NullifierEntry[] = [];
  const faults: unknown[] = [];
  const metrics = createMetrics();
  metrics.close();
  const engine: VerifyParts['engine'] = {
    canAccept: (count) => count <= behaviour.room,
    verifyStatement(keyId, statement, options, receiver, index) {
      const [proof, inputs] = [statement.subarray(0, 256), statement.subarray(256)];
      const call = { keyId, proof: Uint8Array.from(proof), inputs: Uint8Array.from(inputs), options };
      engineCalls.push(call);
      Promise.resolve(call)
        .then(behaviour.verdict)
        .then(
          (verdict) => receiver.verdict(index, verdict),
          (fault: ServiceError) => receiver.failed(index, fault),
        );
    },
    stats: () => ({ backend: 'native' }) as ReturnType<Engine['stats']>,
  };
  const row = (root: Uint8Array, change: Partial<RootRow>): RootRow => ({
    environment: 'production',
    tree: 'orb',
    root,
    receivedAt: NOW - 60_000,
    supersededAt: null,
    source: 'operator',
    keyId: null,
    ...change,
  });
  const app = (id: string): AppRow => {
    if (id === 'unknown') throw new ServiceError('verify.app_not_registered');
    const status = id === 'disabled' ? 'disabled' : 'active';
    return { appId: APP_ID, rpId: RP_ID, verification: 'registered', status, policy: OPEN_POLICY } as AppRow;
  };
  /** Returns the result of a behaviour; undefined if it is a promise. */
  const inMemory = <T>(find: () => T | Promise<T>): Awaited<T> | undefined => {
    const found = behaviour.isInMemory ? find() : undefined;
    if (!(found instanceof Promise)) return found as Awaited<T>;
    // `find` calls the behaviour again and reports its rejection.
    found.catch(() => undefined);
    return undefined;
  };
  const verifyRequest: RequestVerifier = (call, onEnd) =>
    createRequestVerifier({
      parse: createRequestParser(64, RULES4),
      relyingParties: {
        peek: (id) =>
          behaviour.findApp === findApp && id !== 'unknown' ? inMemory(() => app(id)) : undefined,
        async find(id) {
          await behaviour.findApp(id);
          return app(id);
        },
      },
      roots: {
        peek(_environment, _tree, root) {
          const found = inMemory(() => behaviour.root(root));
          return found && row(root, found);
        },
        async find(_environment, _tree, root) {
          const found = await behaviour.root(root);
          return found && row(root, found);
        },
        confirmedUntil: (source) => behaviour.confirmedUntil(source),
        refreshOf() {
          const { refresh } = behaviour;
          if (refresh === undefined) return undefined;
          return async (root) => {
            const found = await refresh(root);
            return found && row(root, found);
          };
        },
      },
      keys: {
        keyOf: () => behaviour.keyOf(),
        has: () => behaviour.isInMemory && behaviour.ensure === ensure,
        ensure: (keyId, inputCount) => behaviour.ensure(keyId, inputCount),
        inputCountOf: async () => 4,
        prepare: async () => [],
      },
      engine,
      nullifiers: {
        record(item) {
          recorded.push(item);
          return behaviour.record(item);
        },
      },
      sessionProofUses: { claim: (use) => behaviour.claim(use) },
      metrics,
      worldId4: {
        issuers: ISSUERS,
        rootWindowSeconds: 3600,
        minExpirationThresholdSeconds: 18_000,
        lookup: {
          peekIssuer: (environment, id) =>
            inMemory(() => behaviour.issuer(environment, id)) as IssuerKey4Row | undefined,
          peekOprfKey: (environment, rpId) =>
            inMemory(() => behaviour.oprfKey(environment, rpId)) as OprfKey4Row | undefined,
          issuer: async (environment, id) => (await behaviour.issuer(environment, id)) as IssuerKey4Row,
          oprfKey: async (environment, rpId) => (await behaviour.oprfKey(environment, rpId)) as OprfKey4Row,
        },
      },
      integrity: behaviour.integrity,
      deadlineMs: behaviour.deadlineMs,
      now: () => NOW,
      onFault: (fault) => faults.push(fault),
    })(call, onEnd);
  const call: VerifierHarness['call'] = (body, id = 'rp', signal = new AbortController().signal) =>
    new Promise((onEnd) =>
      verifyRequest(
        {
          id,
          body: bytes(body),
          requestId: 'request-1',
          sender: { addressKey: '192.0.2.1' },
          signal,
          timer: { startDeadline: behaviour.startDeadline },
        },
        onEnd,
      ),
    );
  return { behaviour, verifyRequest, call, engineCalls, recorded, faults, metrics };
}
