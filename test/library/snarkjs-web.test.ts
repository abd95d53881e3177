import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { moduleGraph } from '../support/module-graph.ts';
import { caseAt } from '../support/snarkjs/differential.ts';

/** The odd cases are of each class, the even ones of the most usual. */
const CASES = 170;

describe('groth16.verify of proofgate/snarkjs on the web', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it('gives the answer of each class on the module that it fetches', async () => {
    const fetched: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      fetched.push(url.pathname.replace(/.*\//, ''));
      return new Response(readFileSync(url), { headers: { 'content-type': 'application/wasm' } });
    });
    // Its own modules: those of the process may have loaded a module of the engine for another test.
    vi.resetModules();
    const { groth16, terminate } = await import('../../src/library/snarkjs-web.ts');
    const found: string[] = [];
    const expected: string[] = [];
    for (let index = 1; index < CASES; index += 2) {
      const { of, draft } = await caseAt(index);
      const { key, signals, proof } = draft;
      const answer = await groth16.verify(key, signals, proof).catch(() => 'rejects');
      found.push(`${index}, ${of.name}: ${answer}`);
      expected.push(`${index}, ${of.name}: ${of.ours}`);
    }
    await terminate();
    expect(found).toEqual(expected);
    expect(fetched).toHaveLength(1);
    expect(fetched[0]).toMatch(/^(relaxed|simd|scalar)\.wasm$/);
  });

  it('needs no Node API', () => {
    const { files, packages } = moduleGraph(['library/snarkjs-web.ts'], ['static', 'dynamic', 'program']);
    expect(files.size).toBeGreaterThan(10);
    // bundled with the entry, and without an import of Node themselves
    expect([...packages].filter((name) => !name.startsWith('@noble/hashes/'))).toEqual([]);
  });
});
