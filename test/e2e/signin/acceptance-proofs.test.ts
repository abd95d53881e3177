import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import { be32, P, R } from '../../support/crypto/bn254.ts';
import { referenceRoot } from '../../support/crypto/reference-tree.ts';
import { opened } from '../../support/opened.ts';
import type { PendingSignIn } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import {
  negated,
  nullifierOf,
  openRequest,
  proveRequest,
  type WalletAnswer,
  type WalletRequest,
} from '../../support/test-wallet.ts';
import { relyingParty, tokensOf } from '../support/relying-party.ts';

type Change = (answer: WalletAnswer, request: WalletRequest) => WalletAnswer | Promise<WalletAnswer>;

const words = (proof: string): string[] => proof.slice(2).match(/.{64}/g) ?? [];
const plus = (hex: string, modulus: bigint): string =>
  (BigInt(`0x${hex}`) + modulus).toString(16).padStart(64, '0');

/** Adds p to one coordinate of the proof: the same point for a verifier that reduces its input. */
const withCoordinatePlusP: readonly (readonly [string, Change])[] = Array.from({ length: 8 }, (_, index) => [
  `word ${index} of the proof + p`,
  (answer) => ({
    ...answer,
    proof: `0x${words(answer.proof)
      .map((word, at) => (at === index ? plus(word, P) : word))
      .join('')}`,
  }),
]);

describe('proofs of a sign-in', () => {
  let now = Date.now();

  const service = opened(() => startSigninService({ now: () => now }), 'end');
  const shop = opened(() => relyingParty(service.baseUrl, service.web));

  /** Begins a sign-in and answers it with a changed proof. */
  async function answered(change: Change): Promise<PendingSignIn> {
    const signIn = await service.begin();
    const request = await openRequest(signIn.connectUrl);
    expect(await request.answer(await change(await proveRequest(request.plaintext), request))).toBe(201);
    return signIn;
  }

  const refusals: readonly (readonly [string, string, Change])[] = [
    ...withCoordinatePlusP.map(([name, change]) => [name, 'invalid_proof', change] as const),
    [
      'the nullifier + r',
      'invalid_format',
      (answer) => ({ ...answer, nullifier_hash: `0x${plus(answer.nullifier_hash.slice(2), R)}` }),
    ],
    [
      'the root + r',
      'invalid_format',
      (answer) => ({ ...answer, merkle_root: `0x${plus(answer.merkle_root.slice(2), R)}` }),
    ],
    [
      'another signal',
      'invalid_proof',
      (_, { plaintext }) => proveRequest({ ...plaintext, signal: toHex(be32(7n)) }),
    ],
    [
      "another client's proof",
      'invalid_proof',
      (_, { plaintext }) => proveRequest(plaintext, { appId: service.native.clientId }),
    ],
    [
      'an unregistered root of a tree with one leaf',
      'invalid_merkle_root',
      async (_, { plaintext }) => proveRequest(plaintext, { root: await referenceRoot([be32(1n)]) }),
    ],
    [
      'a root that was superseded more than an hour ago',
      'root_too_old',
      async (_, { plaintext }) => {
        const root = be32(77n);
        const at = now - 3_600_001;
        const row = {
          environment: 'staging',
          tree: 'orb',
          root,
          source: 'operator',
          keyId: 'trapdoor-4',
        } as const;
        await service.store.roots.put([{ ...row, receivedAt: at, supersededAt: at + 1 }]);
        return await proveRequest(plaintext, { root });
      },
    ],
  ];

  it.each(refusals)('refuses %s as %s, and allows another attempt', async (_name, code, change) => {
    const signIn = await answered(change);
    expect(await signIn.settle()).toMatchObject({ status: 'failed', code });
    const page = (await signIn.continue()).headers.get('location');
    expect(page).toBe(`/authorize/${signIn.txn}`);
    expect((await signIn.retry()).status).toBe(303);
    expect((await signIn.status()).status).toBe('waiting');
  });

  it.each([
    ['in upper case', (hex: string) => `0x${hex.slice(2).toUpperCase()}`],
    ['without leading zeros', (hex: string) => `0x${hex.slice(2).replace(/^0+/, '')}`],
    ['of 64 digits', (hex: string) => `0x${hex.slice(2).padStart(64, '0')}`],
  ])('yields the same sub for a nullifier %s', async (_name, write) => {
    const signIn = await answered((answer) => ({ ...answer, nullifier_hash: write(answer.nullifier_hash) }));
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    const { idToken } = await tokensOf(shop, (await signIn.finish()).parameters.code);
    expect(decodeJwt(idToken).sub).toBe(toHex(await nullifierOf('alice', service.web.clientId)));
  });

  it('ignores answers after the first, before and after the code', async () => {
    let first: WalletAnswer | undefined;
    let request: WalletRequest | undefined;
    const signIn = await answered((answer, opened) => {
      [first, request] = [answer, opened];
      return answer;
    });
    if (first === undefined || request === undefined) throw new Error('expected an answered request');
    const { plaintext, answer } = request;
    const answers = [
      first,
      { ...first, proof: negated(first.proof) },
      { ...first, nullifier_hash: first.nullifier_hash.toUpperCase().replace('0X', '0x') },
      await proveRequest(plaintext, { person: 'mallory' }),
      { error_code: 'verification_rejected' },
    ];
    for (const late of answers) expect(await answer(late)).toBe(400);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    for (const late of answers) expect(await answer(late)).toBe(400);
    const { code } = (await signIn.finish()).parameters;
    for (const late of answers) expect(await answer(late)).toBe(400);
    expect((await signIn.finish()).parameters.code).toBe(code);
    const { idToken } = await tokensOf(shop, code);
    expect(decodeJwt(idToken).sub).toBe(toHex(await nullifierOf('alice', service.web.clientId)));
    for (const late of answers) expect(await answer(late)).toBe(400);
    expect((await signIn.continue()).status).toBe(403);
  });

  it('issues one code to twenty parallel completions, which all get it', async () => {
    const signIn = await answered((answer) => answer);
    await Promise.all(Array.from({ length: 20 }, () => signIn.status()));
    const replies = await Promise.all(Array.from({ length: 20 }, () => signIn.continue()));
    const codes = replies.flatMap(({ headers }) => {
      const location = headers.get('location') ?? '';
      return location.includes('code=') ? [new URL(location).searchParams.get('code') ?? ''] : [];
    });
    expect([codes.length, new Set(codes).size]).toEqual([20, 1]);
    await tokensOf(shop, codes[0]);
  });

  it('reports a device proof where orb is required to the app with its own error, whatever level it claims', async () => {
    const signIn = await service.begin({ acr_values: 'orb', state: 's' });
    const request = await openRequest(signIn.connectUrl);
    const proof = await proveRequest(request.plaintext, { tree: 'device' });
    await request.answer({ ...proof, verification_level: 'orb' });
    expect(await signIn.settle()).toMatchObject({
      status: 'refused',
      code: 'unmet_authentication_requirements',
    });
    const { parameters } = await signIn.finish();
    expect(parameters).toMatchObject({ error: 'unmet_authentication_requirements', state: 's' });
    expect(parameters.code).toBeUndefined();
  });

  it('takes the level of a proof from its tree, whatever level it claims', async () => {
    const signIn = await service.begin();
    const request = await openRequest(signIn.connectUrl);
    const proof = await proveRequest(request.plaintext, { tree: 'device' });
    await request.answer({ ...proof, verification_level: 'orb', credential_type: 'orb' });
    await signIn.settle();
    const { idToken } = await tokensOf(shop, (await signIn.finish()).parameters.code);
    const claims = decodeJwt(idToken);
    expect(claims.acr).toBe('device');
    expect(claims[`${service.baseUrl}/v1`]).toEqual({ verification_level: 'device' });
    expect(claims.sub).toBe(toHex(await nullifierOf('alice', service.web.clientId)));
    now += 1;
  });
});
