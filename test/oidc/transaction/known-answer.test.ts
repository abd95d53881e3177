import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { addRoots, parseRoot } from '../../../src/membership/roots/roots.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { opened } from '../../support/opened.ts';
import { negated, openRequest } from '../../support/test-wallet.ts';
import { type BrowserSignIn, START, startSignIns } from './support/sign-ins.ts';

interface KnownProof {
  readonly app_id?: string;
  readonly action?: string;
  readonly signal?: string;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly proof: string;
}

const FILE = new URL('../../vectors/semaphore-proofs.json', import.meta.url);
const CLIENT = 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614';
const SUB = '0x2978b7ab28667fc641e0a38af57b6d177592d268a6d97aec19205a97bf456f23';
const found = (JSON.parse(readFileSync(FILE, 'utf8')) as KnownProof[]).find(
  ({ app_id, action }) => app_id === CLIENT && action === '',
);
if (!found) throw new Error('the vectors lack the known-answer proof');
const known: KnownProof = found;

/**
 * A proof from the genuine circuit (spec/sign-in.md#known-answer-proof), made for a client whose nonce is the
 * signal.
 */
describe('the known-answer proof', () => {
  const signIns = opened(startSignIns, 'end');
  beforeAll(async () => {
    const { store, config } = signIns;
    const root = parseRoot(
      { environment: 'staging', tree: 'orb', root: known.merkle_root, key: 'semaphore-depth30' },
      START,
    );
    const { profile, verify } = config;
    await addRoots(store.roots, [root], { store, profile, bindings: verify.keys });
    await signIns.addClient({ clientId: CLIENT, signalIsNonce: true });
  });

  async function answered(nonce: string, proof: string = known.proof): Promise<BrowserSignIn> {
    const signIn = await signIns.begin({ clientId: CLIENT, nonce });
    const request = await openRequest(await signIn.connectUrl());
    const { merkle_root, nullifier_hash } = known;
    await request.answer({ proof, merkle_root, nullifier_hash, verification_level: 'orb' });
    return signIn;
  }

  it('is refused with another nonce, yields its sub with its own, and cannot be replayed, even negated', async () => {
    const other = await answered('e2e-tests-2');
    expect(await other.poll()).toMatchObject({ state: 'failed', code: 'invalid_proof' });

    const signIn = await answered('e2e-tests-1', negated(known.proof));
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    const { accepted } = (await signIn.row()) ?? {};
    expect(toHex(accepted?.sub ?? new Uint8Array())).toBe(SUB);
    expect(accepted?.level).toBe('orb');
    expect(await signIn.finish()).toMatchObject({ iss: signIns.baseUrl });

    for (const proof of [known.proof, negated(known.proof)]) {
      const again = await answered('e2e-tests-1', proof);
      expect(await again.poll()).toMatchObject({
        state: 'failed',
        code: 'invalid_proof',
        detail: 'This proof has already been used. Please try again.',
      });
    }
  });
});
