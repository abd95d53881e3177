import { describe, expect, it } from 'vitest';
import { type PointG1, pointAtX } from '../../../src/groth16/curve.ts';
import type { AddedKey } from '../../../src/library/facade/engine.ts';
import type { VerifyingEngine } from '../../../src/library/facade/snarkjs-engine.ts';
import { createSnarkjs, MAX_IN_FLIGHT, type Snarkjs } from '../../../src/library/facade/snarkjs-verify.ts';
import { ProofgateError } from '../../../src/library/index.ts';
import { P } from '../../support/crypto/bn254.ts';
import { gate } from '../../support/gate.ts';
import { expectRejected } from '../../support/rejects.ts';
import { circuitStatements, type Statement } from '../../support/snarkjs/bases.ts';
import type { KeyJson } from '../../support/snarkjs/json.ts';

const [{ key, proof, signals }] = circuitStatements() as [Statement];

/** An engine that records what it is asked and answers when a test says so. */
class FakeEngine implements VerifyingEngine {
  readonly keys: string[] = [];
  isClosed = false;
  inFlight = 0;
  failure: ProofgateError | undefined;
  keyFailure: ProofgateError | undefined;
  /** Verifications wait for it. */
  held: Promise<void> = Promise.resolve();

  async addKey(keyId: string): Promise<AddedKey> {
    if (this.keyFailure) throw this.keyFailure;
    this.keys.push(keyId);
    return { form: 'bytes', inputCount: 1 };
  }

  async verifyBytes(): Promise<{ valid: true }> {
    if (this.failure) throw this.failure;
    this.inFlight += 1;
    await this.held;
    this.inFlight -= 1;
    if (this.isClosed) throw new Error('closed while a verification was running');
    return { valid: true };
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function setUp(
  maxKeys = 2,
  held: Promise<void> = Promise.resolve(),
): {
  engines: FakeEngine[];
  snarkjs: Snarkjs;
  verify: (of?: unknown) => Promise<boolean>;
} {
  const engines: FakeEngine[] = [];
  const snarkjs = createSnarkjs(async () => {
    const engine = new FakeEngine();
    engine.held = held;
    engines.push(engine);
    return engine;
  }, maxKeys);
  return { engines, snarkjs, verify: (of = key) => snarkjs.groth16.verify(of, signals, proof) };
}

const POINTS = Array.from({ length: 200 }, (_, x) => pointAtX(BigInt(x), true)).filter(
  (point) => point !== undefined,
);

/** A key that differs from others in one point. */
function otherKey(number: number): KeyJson {
  const { x, y } = POINTS[number] as PointG1;
  return { ...key, IC: [key.IC[0] as string[], [`${x}`, `${y}`, '1']] };
}

/** Makes an engine hold its verifications; returns the function that lets them go on. */
function hold(engine: FakeEngine): () => void {
  const { promise, open } = gate<void>();
  engine.held = promise;
  return open;
}

/** Lets everything run that waits for nothing else. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the engine of groth16.verify', () => {
  it('is made at first use, for all calls', async () => {
    const { engines, verify } = setUp();
    expect(engines).toHaveLength(0);
    expect(await Promise.all([verify(), verify(), verify()])).toEqual([true, true, true]);
    expect(engines).toHaveLength(1);
  });

  it('prepares a key once for its content, whichever object has it', async () => {
    const { engines, verify } = setUp();
    await Promise.all([verify(), verify(structuredClone(key)), verify(JSON.parse(JSON.stringify(key)))]);
    expect(engines[0]?.keys).toHaveLength(1);
  });

  it('sees that the object of a key was changed', async () => {
    const { engines, verify } = setUp();
    const changing = structuredClone(key);
    await verify(changing);
    (changing.IC[1] as string[])[1] = String(P - BigInt(changing.IC[1]?.[1] ?? ''));
    await verify(changing);
    expect(engines[0]?.keys).toHaveLength(2);
  });

  it('does not take the key of another structure for one with the same text', async () => {
    const { engines, verify } = setUp();
    await verify();
    const [[x0, y0] = [], [x1, y1] = []] = key.IC;
    await expectRejected(verify({ ...key, IC: [[`${x0} ${y0} 1 ${x1}`, y1, '1']] }), 'key.not_json');
    expect(await verify()).toBe(true);
    expect(engines[0]?.keys).toHaveLength(1);
  });

  it('forgets a key that was refused', async () => {
    const { engines, verify } = setUp();
    await verify();
    const [engine] = engines as [FakeEngine];
    engine.keyFailure = new ProofgateError('key.forgeable', 'delta equals gamma');
    await expect(verify(otherKey(1))).rejects.toMatchObject({ code: 'key.forgeable' });
    engine.keyFailure = undefined;
    expect(await verify(otherKey(1))).toBe(true);
    expect(engines).toHaveLength(1);
  });

  it('is replaced when it has as many keys as it may keep, and closed after its last call', async () => {
    const { engines, verify } = setUp();
    await verify(otherKey(1));
    const [first] = engines as [FakeEngine];
    const release = hold(first);
    const running = verify(otherKey(2));
    await settle();
    expect(await verify(otherKey(3))).toBe(true);
    expect(engines).toHaveLength(2);
    expect(first.isClosed).toBe(false);
    release();
    expect(await running).toBe(true);
    await settle();
    expect(first.isClosed).toBe(true);
    expect(engines[1]?.isClosed).toBe(false);
  });

  it('exists twice at most, however many keys are used at a time', async () => {
    const { promise, open } = gate<void>();
    const { engines, verify } = setUp(2, promise);
    const running = Array.from({ length: 42 }, (_, index) => verify(otherKey(index)));
    await settle();
    expect(engines).toHaveLength(2);
    open();
    expect((await Promise.all(running)).every(Boolean)).toBe(true);
    expect(engines).toHaveLength(21);
    await settle();
    expect(engines.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
  });

  it('is given no more calls than it takes; the others wait', async () => {
    const { engines, verify } = setUp();
    await verify();
    const [engine] = engines as [FakeEngine];
    const release = hold(engine);
    const running = Array.from({ length: MAX_IN_FLIGHT + 500 }, () => verify());
    await settle();
    expect(engine.inFlight).toBe(MAX_IN_FLIGHT);
    release();
    expect((await Promise.all(running)).every(Boolean)).toBe(true);
  });

  it('is ended by terminate after the calls in progress, and made again by the next one', async () => {
    const { engines, snarkjs, verify } = setUp();
    await snarkjs.terminate();
    await verify();
    const release = hold(engines[0] as FakeEngine);
    const running = verify();
    await settle();
    const ended = snarkjs.terminate();
    release();
    expect(await running).toBe(true);
    await ended;
    expect(engines[0]?.isClosed).toBe(true);
    expect(await verify()).toBe(true);
    expect(engines).toHaveLength(2);
  });

  it('is replaced when its workers have failed', async () => {
    const { engines, verify } = setUp();
    await verify();
    const [engine] = engines as [FakeEngine];
    engine.failure = new ProofgateError('engine.worker_failed', 'no worker starts');
    await expect(verify()).rejects.toBe(engine.failure);
    expect(await verify()).toBe(true);
    expect(engine.isClosed).toBe(true);
  });

  it('is tried again after it did not start', async () => {
    let starts = 0;
    const { groth16, terminate } = createSnarkjs(async () => {
      starts += 1;
      if (starts === 1) throw new ProofgateError('engine.backend_unavailable', 'no WebAssembly');
      return new FakeEngine();
    }, 2);
    await expectRejected(groth16.verify(key, signals, proof), 'engine.backend_unavailable');
    expect(await groth16.verify(key, signals, proof)).toBe(true);
    await terminate();
  });
});
