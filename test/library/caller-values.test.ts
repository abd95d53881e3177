/** What a caller hands over is copied at the call, and refused before work if it is too much (src/docs/library.md). */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readKey } from '../../src/groth16/key.ts';
import { type ListedIssuerKey, verifyCredential } from '../../src/library/credential.ts';
import { isTakenByBigint, snarkjsSignalBytes } from '../../src/library/facade/snarkjs-values.ts';
import * as node from '../../src/library/index.ts';
import { groth16, type SnarkjsProof, terminate } from '../../src/library/snarkjs.ts';
import { loadModule } from '../../src/library/web/load-module.ts';
import * as web from '../../src/library/web.ts';
import { VECTORS } from '../credential/support.ts';
import { KEYS, NOW, SAMPLE } from './credential/support.ts';
import { KEY, PROOF, PROOF_BYTES, SIGNAL_BYTES, SIGNALS } from './support/semaphore-statement.ts';
import { wasmFile } from './support/statements.ts';

const MANY = 2 ** 27;
const DIGITS = '9'.repeat(10_000_000);
const FAULT = new Error('of the caller');

/** Resolves to the code of the refusal, or to the answer. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.catch((error: unknown) => (error instanceof node.ProofgateError ? error.code : error));
}

/** A proxy of an array that says at each question that it has one more element, all of them the first. */
function growing<T>(list: readonly T[]): T[] {
  let { length } = list;
  return new Proxy([...list], {
    get: (target, name, receiver) => {
      if (name === 'length') return length++;
      return Reflect.get(target, name, receiver) ?? target[0];
    },
    has: () => true,
  });
}

/** An array that is emptied while its first element is read. */
function shrinking<T>(list: readonly T[]): T[] {
  const array = [...list];
  const [first] = array;
  Object.defineProperty(array, 0, {
    configurable: true,
    get: () => {
      array.length = 1;
      return first;
    },
  });
  return array;
}

/** An array whose iterator and methods say other than its elements. */
function lying<T>(list: readonly T[], other: readonly T[]): T[] {
  const pretend = { map: () => other, every: () => true, [Symbol.iterator]: () => other[Symbol.iterator]() };
  return Object.assign([...list], pretend);
}

function holed<T>(list: readonly T[]): T[] {
  const array = [...list];
  delete array[1];
  return array;
}

const throwing = (): never => {
  throw FAULT;
};

/** An object whose members throw when they are read. */
function thrower<T extends object>(like: T): T {
  return new Proxy(like, { get: throwing, has: throwing });
}

function revoked<T extends object>(like: T): T {
  const { proxy, revoke } = Proxy.revocable(like, {});
  revoke();
  return proxy;
}

/** Bytes that say that they have another length. */
function misstated(bytes: Uint8Array, length: number): Uint8Array {
  return Object.defineProperty(Uint8Array.from(bytes), 'length', { value: length });
}

function detached(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  structuredClone(copy, { transfer: [copy.buffer] });
  return copy;
}

describe.each([
  ['proofgate', node],
  ['proofgate/web', web],
])('the hashes and signatures of %s', (_, { poseidon, poseidon2, eddsa }) => {
  const seed = (): Uint8Array => new Uint8Array(32).fill(7);
  beforeAll(async () => {
    await loadModule({ backend: 'auto', module: new Uint8Array(readFileSync(wasmFile('scalar'))) });
  });

  it('hash the state of the call, whatever the caller does with it afterwards', async () => {
    const state = [1n, 2n, 3n, 4n];
    const [inputs, permuted] = [poseidon(state), poseidon2(state)];
    state.length = 2;
    expect(await inputs).toBe(await poseidon([1n, 2n, 3n, 4n]));
    expect(await permuted).toEqual(await poseidon2([1n, 2n, 3n, 4n]));
  });

  it('take the bytes of the call', async () => {
    const { bytes } = await eddsa.publicKey(seed());
    const signature = await eddsa.sign(seed(), 5n);
    const values = [seed(), seed(), bytes.slice(), signature.slice()] as const;
    const answers = [
      eddsa.publicKey(values[0]),
      eddsa.sign(values[1], 5n),
      eddsa.verify(values[2], 5n, values[3]),
    ];
    values[0].fill(9);
    for (const value of values.slice(1)) structuredClone(value, { transfer: [value.buffer] });
    expect(await Promise.all(answers)).toEqual([await eddsa.publicKey(seed()), signature, true]);
    const forged = signature.map((byte, index) => byte ^ Number(index === 0));
    const refused = eddsa.verify(bytes, 5n, forged);
    forged.set(signature);
    expect(await refused).toBe(false);
  });

  it('do not wipe the seed of the caller, not even a Buffer', async () => {
    const buffer = Buffer.from(seed());
    await eddsa.publicKey(buffer);
    expect(Uint8Array.from(buffer)).toEqual(seed());
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['input.form', 'a hole', () => poseidon(holed([1, 2, 3]))],
    ['input.form', 'holes alone', () => poseidon2(new Array(3))],
    ['input.count', 'too many elements to hash', () => poseidon(new Array(MANY))],
    ['hash.width', 'too many elements to permute', () => poseidon2(new Array(MANY))],
    ['hash.width', 'a state of 17', () => poseidon2(Array(17).fill(1))],
    ['input.form', 'an array that loses elements', () => poseidon(shrinking([1, 2, 3]))],
    ['input.form', 'digits in an array', () => poseidon([[DIGITS] as unknown as string])],
    ['input.range', 'too many digits', () => poseidon([DIGITS])],
    ['input.form', 'an array that throws', () => poseidon(thrower([1]))],
    ['input.form', 'a revoked proxy', () => poseidon2(revoked([1, 2]))],
    ['input.form', 'a message of a wrong length', () => eddsa.sign(seed(), misstated(seed().slice(1), 32))],
    ['signing_key.length', 'a seed of a wrong length', () => eddsa.sign(misstated(seed().slice(1), 32), 1)],
    ['signing_key.length', 'a detached seed', () => eddsa.publicKey(detached(seed()))],
    ['signing_key.length', 'a proxy for a seed', () => eddsa.publicKey(new Proxy(seed(), {}))],
  ])('reject with %s %s', async (code, _what, step) => {
    expect(await outcomeOf(step())).toBe(code);
  });

  it('read an array once that grows', async () => {
    expect(await poseidon(growing([1, 1, 1]))).toBe(await poseidon([1, 1, 1]));
  });
});

describe.each([
  ['proofgate', () => node.createEngine({ workers: 1 })],
  ['proofgate/web', () => web.createEngine({ module: new Uint8Array(readFileSync(wasmFile('scalar'))) })],
])('the engine of %s', (_, create) => {
  let engine: Pick<node.Engine, 'addKey' | 'verify' | 'verifyMany' | 'close'>;
  beforeAll(async () => {
    engine = await create();
    await engine.addKey('key', KEY);
  });
  afterAll(() => engine.close());
  const codeOf = async (proof: unknown, signals: unknown): Promise<unknown> =>
    await outcomeOf(
      engine.verify('key', proof as Uint8Array, signals as Uint8Array).then(({ code }) => code ?? 'valid'),
    );

  it('checks the statement and adds the key of the call', async () => {
    const [proof, signals] = [Buffer.from(PROOF_BYTES), Buffer.from(SIGNAL_BYTES)];
    const key = Buffer.from(readKey(KEY).key);
    const answers = [engine.verify('key', proof, signals), engine.addKey('key', key)];
    for (const bytes of [proof, signals, key]) bytes.fill(1);
    expect(await Promise.all(answers)).toEqual([{ valid: true }, { form: 'bytes', inputCount: 4 }]);
  });

  it('checks the statements of an array as they are at the call, also beyond those in flight', async () => {
    const statements = Array.from({ length: 300 }, () => ({
      proof: Uint8Array.from(PROOF_BYTES),
      publicSignals: [...SIGNALS],
    }));
    const verdicts = engine.verifyMany('key', statements);
    for (const { proof, publicSignals } of statements) {
      proof.fill(0);
      publicSignals.length = 0;
    }
    statements.length = 1;
    expect((await verdicts).map(({ valid }) => valid)).toEqual(Array(300).fill(true));
  });

  it('checks a statement of an iterable as it is when it is taken', async () => {
    const statement = { proof: PROOF, publicSignals: [...SIGNALS] };
    const one = function* (): Generator<typeof statement> {
      queueMicrotask(() => statement.publicSignals.reverse());
      yield statement;
    };
    expect(await engine.verifyMany('key', one())).toEqual([{ valid: true }]);
  });

  it('keeps an error of one statement to its verdict', async () => {
    const members = [
      thrower({ ...PROOF }),
      new Proxy({}, { get: throwing }),
      { proof: PROOF, publicSignals: SIGNALS },
    ];
    const statements = [{ proof: members[0], publicSignals: SIGNALS }, ...members.slice(1)];
    const verdicts = await engine.verifyMany('key', statements as node.Statement[]);
    expect(verdicts.map(({ code }) => code ?? 'valid')).toEqual(['proof.form', 'proof.form', 'valid']);
  });

  it('has one verdict of all holes in an array, which may be millions', async () => {
    const [first, second] = await engine.verifyMany('key', new Array(2));
    expect(first).toMatchObject({ valid: false, code: 'proof.form' });
    expect(second).toBe(first);
  });

  it('refuses a key as text that is longer than any key, before it parses it', async () => {
    const text = `${JSON.stringify(KEY)}${' '.repeat(4_194_304)}`;
    expect(await outcomeOf(engine.addKey('long', text))).toBe('key.not_json');
  });

  it('refuses an array of too many statements before it reads one', async () => {
    expect(await outcomeOf(engine.verifyMany('key', new Array(MANY)))).toBe('input.count');
  });

  it('refuses statements that cannot be read, and does not throw before it returns a promise', async () => {
    expect(await outcomeOf(engine.verifyMany('key', revoked([])))).toBe('input.form');
    expect(await outcomeOf(engine.verifyMany('key', thrower([])))).toBe('input.form');
  });

  it.each<[string, string, () => Parameters<typeof codeOf>]>([
    ['input.form', 'a hole among the signals', () => [PROOF, holed(SIGNALS)]],
    ['input.count', 'too many signals', () => [PROOF, new Array(MANY)]],
    ['input.form', 'signals that are lost', () => [PROOF, shrinking(SIGNALS)]],
    ['input.form', 'signals that throw', () => [PROOF, thrower([...SIGNALS])]],
    ['input.count', 'signals of a wrong length', () => [PROOF, misstated(SIGNAL_BYTES.slice(1), 128)]],
    ['input.range', 'a signal of too many digits', () => [PROOF, [DIGITS, '1', '1', '1']]],
    ['valid', 'signals that grow', () => [PROOF, growing(SIGNALS)]],
    ['proof.form', 'a hole in a point', () => [{ ...PROOF, pi_a: holed(PROOF.pi_a) }, SIGNALS]],
    ['proof.form', 'a proof that throws', () => [thrower({ ...PROOF }), SIGNALS]],
    ['proof.form', 'a revoked proof', () => [revoked({ ...PROOF }), SIGNALS]],
    ['proof.length', 'a proof of a wrong length', () => [misstated(PROOF_BYTES.slice(1), 256), SIGNALS]],
    ['valid', 'a B that grows', () => [{ ...PROOF, pi_b: growing(PROOF.pi_b) }, SIGNALS]],
    ['valid', 'a B that lies', () => [{ ...PROOF, pi_b: lying(PROOF.pi_b, []) }, SIGNALS]],
    ['valid', 'an A that lies', () => [{ ...PROOF, pi_a: lying(PROOF.pi_a, ['1', '2', '1']) }, SIGNALS]],
  ])('answers %s to %s', async (code, _what, values) => {
    expect(await codeOf(...values())).toBe(code);
  });

  it.each<[string, string, () => unknown]>([
    ['key.length', 'bytes of no key', () => new Uint8Array(MANY)],
    ['key.not_json', 'a key that throws', () => thrower({ ...KEY })],
    ['key.not_json', 'a revoked key', () => revoked({ ...KEY })],
    ['key.not_json', 'a hole in IC', () => ({ ...KEY, IC: holed(KEY.IC) })],
    ['key.not_json', 'an IC that is lost', () => ({ ...KEY, IC: shrinking(KEY.IC) })],
    ['key.not_json', 'a coordinate in an array', () => ({ ...KEY, vk_alpha_1: [[DIGITS], '2', '1'] })],
  ])('refuses with %s %s', async (code, _what, key) => {
    expect(
      await outcomeOf(engine.addKey('other', key() as Uint8Array, { allowDegenerateInputs: true })),
    ).toBe(code);
  });

  it('adds the key that an IC says by its elements', async () => {
    const points = lying(KEY.IC, [...KEY.IC].reverse());
    const alpha = lying(KEY.vk_alpha_1, ['1', '2', '1']);
    await engine.addKey('key', { ...KEY, IC: points, vk_alpha_1: alpha });
    await engine.addKey('key', { ...KEY, IC: growing(KEY.IC) });
  });
});

describe('groth16.verify of proofgate/snarkjs', () => {
  const nested = (value: unknown, depth: number): unknown => {
    let array = value;
    for (let level = 0; level < depth; level++) array = [array];
    return array;
  };
  const answerOf = (key: unknown, signals: unknown, proof: unknown = PROOF): Promise<unknown> =>
    outcomeOf(groth16.verify(key, signals as string[], proof as SnarkjsProof));
  afterAll(() => terminate());

  it('checks the key, the signals and the proof of the call', async () => {
    // The engine starts at the first call, and the values change before that.
    await terminate();
    const [key, signals, proof] = structuredClone([KEY, SIGNALS, PROOF as SnarkjsProof] as const);
    const answer = groth16.verify(key, signals, proof);
    for (const object of [key, proof])
      for (const name of Object.keys(object)) Reflect.deleteProperty(object, name);
    (signals as string[]).length = 0;
    expect(await answer).toBe(true);
    const forged = [...SIGNALS.slice(0, 3), '1'];
    const refused = groth16.verify(KEY, forged, PROOF as SnarkjsProof);
    forged.splice(0, 4, ...SIGNALS);
    expect(await refused).toBe(false);
  });

  it.each<[unknown, string, () => [key: unknown, signals: unknown, proof?: unknown]]>([
    [false, 'a signal of digits in an array', () => [KEY, [[DIGITS], '1', '1', '1']]],
    [false, 'a signal of digits in two arrays', () => [KEY, [[[DIGITS]], '1', '1', '1']]],
    [false, 'a bigint in an array', () => [KEY, [[1n << 30_000_000n], '1', '1', '1']]],
    ['input.form', 'an array of many numbers', () => [KEY, [new Array(MANY), '1', '1', '1']]],
    [
      'input.form',
      'a million arrays within each other',
      () => [KEY, [nested('1', 1_000_000), '1', '1', '1']],
    ],
    ['input.form', 'a hole among the signals', () => [KEY, holed(SIGNALS)]],
    ['input.form', 'signals that are lost', () => [KEY, shrinking(SIGNALS)]],
    ['input.form', 'signals that throw', () => [KEY, thrower([...SIGNALS])]],
    ['input.count', 'more signals than any key has', () => [KEY, growing(Array<string>(2000).fill('1'))]],
    [true, 'signals that grow', () => [KEY, growing(SIGNALS)]],
    ['proof.form', 'a hole in a point', () => [KEY, SIGNALS, { ...PROOF, pi_a: holed(PROOF.pi_a) }]],
    ['proof.form', 'a proof that throws', () => [KEY, SIGNALS, thrower({ ...PROOF })]],
    [false, 'a coordinate of digits', () => [KEY, SIGNALS, { ...PROOF, pi_a: [DIGITS, '2', '1'] }]],
    [true, 'an A that lies', () => [KEY, SIGNALS, { ...PROOF, pi_a: lying(PROOF.pi_a, ['1', '2', '1']) }]],
    ['key.not_json', 'a key that throws', () => [thrower({ ...KEY }), SIGNALS]],
    [
      'key.coordinate_range',
      'a key of many digits',
      () => [{ ...KEY, vk_alpha_1: [DIGITS, '2', '1'] }, SIGNALS],
    ],
    ['key.not_json', 'a hole in IC', () => [{ ...KEY, IC: holed([...KEY.IC, KEY.IC[0]]) }, SIGNALS]],
    [
      'key.protocol',
      'a long name of a curve',
      () => [{ ...KEY, curve: `${'-'.repeat(MANY)}bn128` }, SIGNALS],
    ],
  ])('answers %s to %s', async (expected, _what, values) => {
    expect(await answerOf(...values())).toBe(expected);
  });

  it('asks BigInt nothing that takes long, and calls no method of a value', () => {
    const bigint = vi.spyOn(globalThis, 'BigInt');
    const text = vi.fn(() => '1');
    const values = [
      [DIGITS],
      [[DIGITS]],
      [1n << 256n],
      new Array(MANY),
      { toString: text },
      [{ toString: text }],
    ];
    expect(values.map(isTakenByBigint)).toEqual([true, true, true, false, false, false]);
    expect(isTakenByBigint(Object.assign(() => 1, { toString: text }))).toBe(false);
    expect(bigint).not.toHaveBeenCalled();
    expect(text).not.toHaveBeenCalled();
    bigint.mockRestore();
  });

  it('takes from an array what BigInt takes', () => {
    const values = [
      [],
      [[]],
      [null],
      ['12'],
      [' 1'],
      [1],
      [-1n],
      [[5]],
      ['x'],
      [1.5],
      [true],
      [1e21],
      [1, 2],
      [{}],
    ];
    const plain = values.map((value) => {
      try {
        return BigInt(value as unknown as string) !== undefined;
      } catch {
        return false;
      }
    });
    expect(values.map(isTakenByBigint)).toEqual(plain);
  });

  it('refuses long numbers of a key', () => {
    const key = { ...KEY, vk_alpha_1: [DIGITS, 1n << 30_000_000n, '1'] };
    expect(() => readKey(key)).toThrow(expect.objectContaining({ code: 'key.coordinate_range' }));
  });

  it('reads no signals of which no key has so many', () => {
    const signals = Object.defineProperty(new Array(1025), 0, { get: throwing });
    expect(() => snarkjsSignalBytes(signals, 4)).toThrow(expect.objectContaining({ code: 'input.count' }));
  });
});

describe('verifyCredential of proofgate/credential', () => {
  const { keys } = JSON.parse(KEYS) as { keys: [ListedIssuerKey] };
  const check = (changes: object): Promise<unknown> =>
    outcomeOf(
      verifyCredential(SAMPLE.json, { issuerKeys: KEYS, now: NOW, ...changes }).then(({ valid }) => valid),
    );

  it('checks against the options of the call', async () => {
    const hashesJson = Buffer.from(VECTORS.package.hashes_json);
    const [options, listed] = [
      { issuerKeys: [...keys], now: new Date(NOW), claim: { hashesJson } },
      [...keys],
    ];
    const verdict = verifyCredential(SAMPLE.json, options);
    hashesJson.fill(0);
    options.now.setTime(0);
    options.issuerKeys.length = 0;
    expect(await verdict).toMatchObject({ valid: true });
    expect(listed).toHaveLength(1);
  });

  it.each<[unknown, string, () => object]>([
    ['credential.issuer_keys', 'holes among the keys', () => ({ issuerKeys: new Array(2) })],
    ['credential.issuer_keys', 'too many keys', () => ({ issuerKeys: new Array(MANY) })],
    ['credential.issuer_keys', 'too long a text of keys', () => ({ issuerKeys: DIGITS })],
    ['credential.issuer_keys', 'a coordinate of digits', () => ({ issuerKeys: [[DIGITS, '1']] })],
    ['credential.issuer_keys', 'keys that are lost', () => ({ issuerKeys: shrinking([...keys, ...keys]) })],
    ['credential.option', 'keys that throw', () => ({ issuerKeys: thrower([...keys]) })],
    [
      'credential.option',
      'a manifest of many bytes',
      () => ({ claim: { hashesJson: new Uint8Array(65_537) } }),
    ],
    ['credential.option', 'a detached manifest', () => ({ claim: { hashesJson: detached(PROOF_BYTES) } })],
    ['credential.option', 'options that throw', () => ({ claim: thrower({}) })],
    [true, 'keys that grow', () => ({ issuerKeys: growing(keys) })],
    [true, 'a key that lies', () => ({ issuerKeys: [lying(SAMPLE.public_key, ['1', '2'])] })],
  ])('answers %s to %s', async (expected, _what, changes) => {
    expect(await check(changes())).toBe(expected);
  });
});

describe('the module of proofgate/web', () => {
  it('is that of the call', async () => {
    const module = new Uint8Array(readFileSync(wasmFile('scalar')));
    const engine = web.createEngine({ module });
    module.fill(0);
    await (await engine).close();
  });

  it('and the program of a worker are those of the call', async () => {
    const worker = vi.fn(() => throwing());
    const options: { module: Promise<Uint8Array>; worker: () => never } = {
      module: Promise.resolve(new Uint8Array(readFileSync(wasmFile('scalar')))),
      worker,
    };
    const engine = outcomeOf(web.createWorkerEngine(options));
    options.worker = () => expect.fail('a later program was started');
    expect(await engine).toBe('engine.worker_failed');
    expect(worker).toHaveBeenCalled();
  });
});
