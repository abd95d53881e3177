// Rules: src/docs/library.md
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findFaults } from '../../../src/engine/backends/wasm-probes.ts';
import * as selfTests from '../../../src/engine/self-test/self-test.ts';
import {
  createEngine,
  type EngineOptions,
  eddsa,
  ProofgateError,
  poseidon,
} from '../../../src/library/web.ts';
import { KEY } from '../support/semaphore-statement.ts';
import { answersOf, CASES, EXPECTED_ANSWERS, TRUE_STATEMENTS, wasmFile } from '../support/statements.ts';

const scalar = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(wasmFile('scalar')));
const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof ProofgateError ? error.code : error),
  );

async function answers(options: EngineOptions): Promise<string[]> {
  await using engine = await createEngine(options);
  await engine.addKey('key', KEY);
  return await answersOf(engine, CASES);
}

describe('createEngine of proofgate/web', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  const missing = findFaults();
  it.each([
    ['wasm-relaxed', 'relaxed'],
    ['wasm-simd', 'simd'],
    ['wasm-scalar', 'scalar'],
  ] as const)('gives the expected answers on %s', async (arithmetic, name) => {
    const bytes = new Uint8Array(readFileSync(wasmFile(name)));
    const options: EngineOptions = { backend: arithmetic, module: () => bytes };
    if (missing[arithmetic] === undefined) expect(await answers(options)).toEqual(EXPECTED_ANSWERS);
    else expect(await codeOf(answers(options))).toBe('engine.backend_unavailable');
  });

  it.each<[string, () => EngineOptions['module']]>([
    ['bytes', () => scalar()],
    ['an ArrayBuffer', () => scalar().buffer as ArrayBuffer],
    ['a compiled module', () => new WebAssembly.Module(scalar())],
    ['a response', () => new Response(scalar() as BodyInit)],
    [
      'a response of the right type',
      () => new Response(scalar() as BodyInit, { headers: { 'content-type': 'application/wasm' } }),
    ],
    ['a promise', () => Promise.resolve(scalar())],
    ['a data URL', () => `data:application/wasm;base64,${Buffer.from(scalar()).toString('base64')}`],
  ])('takes the module as %s', async (_, module) => {
    // Each is compiled anew from the same file, which the other tests of this suite test: once is enough.
    using _selfTest = vi.spyOn(selfTests, 'selfTest').mockReturnValue(undefined);
    await using engine = await createEngine({
      module: module() as NonNullable<EngineOptions['module']>,
      workers: 8,
    });
    expect(engine.stats()).toMatchObject({
      arithmetic: 'wasm-scalar',
      reason: 'the module was given',
      workers: 0,
    });
  });

  it('fetches only the module that it has chosen, once', async () => {
    const fetched: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      fetched.push(url.href);
      return new Response(readFileSync(url) as BodyInit, { headers: { 'content-type': 'application/wasm' } });
    });
    // A copy of the module that has loaded nothing yet.
    const path = '../../../src/library/web/load-module.ts?nothing-loaded';
    const { loadModule } = (await import(path)) as typeof import('../../../src/library/web/load-module.ts');
    const { arithmetic, reason } = await loadModule({ backend: 'auto' });
    const best = (['wasm-relaxed', 'wasm-simd', 'wasm-scalar'] as const).find((name) => !missing[name]);
    expect({ arithmetic, reason }).toEqual({
      arithmetic: best,
      reason: 'the best WebAssembly module that runs here',
    });
    expect((await loadModule({ backend: arithmetic })).reason).toBe(`backend is ${arithmetic}`);
    expect(fetched).toEqual([wasmFile(arithmetic.slice('wasm-'.length) as 'simd').href]);
  });

  it('says how to give the module where its file cannot be fetched', async () => {
    vi.stubGlobal('fetch', async () => new Response('not found', { status: 404 }));
    await expect(createEngine({ module: new URL('https://example.test/simd.wasm') })).rejects.toMatchObject({
      code: 'engine.backend_unavailable',
      message: expect.stringContaining('the option "module" takes'),
    });
    vi.stubGlobal('fetch', undefined);
    expect(await codeOf(createEngine({ module: 'https://example.test/simd.wasm' }))).toBe(
      'engine.backend_unavailable',
    );
  });

  it('refuses what is no module of the package, and a module of another name', async () => {
    const empty = Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
    expect(await codeOf(createEngine({ module: empty }))).toBe('engine.option');
    expect(await codeOf(createEngine({ module: empty.subarray(0, 7) }))).toBe('engine.backend_unavailable');
    expect(await codeOf(createEngine({ module: 7 as unknown as Uint8Array }))).toBe('engine.option');
    expect(await codeOf(createEngine({ module: scalar(), backend: 'wasm-simd' }))).toBe('engine.option');
    expect(await codeOf(createEngine({ module: () => scalar(), backend: 'wasm-simd' }))).toBe(
      'engine.self_test_failed',
    );
  });

  it('refuses a module whose answers are wrong', async () => {
    const bytes = scalar();
    // p in the data of the module, whose lowest byte is changed
    const limb = Buffer.from('47fd7cd8168c203c', 'hex');
    const at = Buffer.from(bytes.buffer).lastIndexOf(limb);
    expect(at).toBeGreaterThan(0);
    bytes[at] = 0x49;
    expect(await codeOf(createEngine({ module: bytes }))).toBe('engine.self_test_failed');
  });

  it('refuses options out of range, and backends that do not run here', async () => {
    const wrong: EngineOptions[] = [
      { workers: -1 },
      { maxQueue: 0 },
      { maxBatch: 257 },
      { backend: 'x' as 'auto' },
    ];
    for (const options of wrong) expect(await codeOf(createEngine(options))).toBe('engine.option');
    expect(await codeOf(createEngine({ backend: 'native' }))).toBe('engine.backend_unavailable');
  });

  it('refuses work after it was closed, and finishes what it had accepted', async () => {
    const engine = await createEngine({ module: scalar() });
    await engine.addKey('key', KEY);
    const accepted = answersOf(engine, TRUE_STATEMENTS.slice(0, 2));
    await engine.close();
    expect(await accepted).toEqual(['valid', 'valid']);
    expect(await answersOf(engine, TRUE_STATEMENTS.slice(0, 1))).toEqual(['engine.closed!']);
  });
});

describe('the hashes of proofgate/web', () => {
  it('answer as circomlib does, in the module of an engine', async () => {
    await (await createEngine({ module: scalar() })).close();
    expect(await poseidon([1, 2])).toBe(
      7853200120776062878684798364095072458815029376092732009249414926327459813530n,
    );
    await expect(poseidon([])).rejects.toMatchObject({ code: 'input.count' });
  });

  it('sign and verify', async () => {
    const seed = new Uint8Array(32).fill(7);
    const signature = await eddsa.sign(seed, 5n);
    const { bytes } = await eddsa.publicKey(seed);
    expect(await eddsa.verify(bytes, 5n, signature)).toBe(true);
    expect(await eddsa.verify(bytes, 6n, signature)).toBe(false);
  });
});
