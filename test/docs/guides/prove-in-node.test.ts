import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { makeScratch, snippet } from './support/snippets.ts';

/** A signature that IDKit does not check. */
const PROGRAM = `
import { IDKit, proofOfHuman } from '@worldcoin/idkit-core';
import { signRequest } from '@worldcoin/idkit-server';
import { loadIdkitInNode } from './idkit-in-node.js';
if (process.argv[2] === 'load') loadIdkitInNode();
const { nonce, sig, createdAt, expiresAt } = signRequest({ signingKeyHex: 'ab'.repeat(32), action: 'vote' });
await IDKit.request({
  app_id: 'app_staging_1234567890abcdef1234567890abcdef',
  action: 'vote',
  bridge_url: 'http://127.0.0.1:1',
  environment: 'staging',
  allow_legacy_proofs: false,
  rp_context: { rp_id: 'rp_1234567890abcdef', nonce, signature: sig, created_at: createdAt, expires_at: expiresAt },
}).preset(proofOfHuman()).catch((error) => console.log(String(error)));
`;

describe('IDKit in Node, in a program of its own', () => {
  const scratch = makeScratch();
  afterAll(() => scratch.end());

  it('loads its WebAssembly with the code of prove.md, and not without', async () => {
    const { code } = await transform(snippet('prove', 'idkit-in-node.ts'), { loader: 'ts' });
    scratch.write('idkit-in-node.js', code);
    const program = scratch.write('program.js', PROGRAM);
    const run = async (...args: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [program, ...args])).stdout;
    expect(await run()).toContain('Failed to initialize IDKit WASM');
    // It gets as far as the bridge, which does not answer.
    const loaded = await run('load');
    expect(loaded).not.toContain('WASM');
    expect(loaded).toContain('request');
  });
});
