/**
 * A programmatic wallet for sign-ins in tests: it opens the request of a connect URL, proves with trapdoor-4
 * and answers through the bridge (spec/sign-in.md#wallet-bridge). It shares no code with `src/oidc`. An
 * identity always has the same nullifier for a client: nullifier = Poseidon(externalNullifier,
 * identityNullifier).
 */

import { createHash, randomBytes } from 'node:crypto';
import { externalNullifier } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { identityFromSecret, nullifierHashOf } from '../../src/semaphore/identity.ts';
import type { RootRow } from '../../src/storage/roots.ts';
import type { Store } from '../../src/storage/store.ts';
import type { Environment } from '../../src/storage/values.ts';
import { be32, fromBe, P, R } from './crypto/bn254.ts';
import { referencePoseidon } from './crypto/reference-tree.ts';
import { type SealedMessage, seal, unseal } from './crypto/sealed-message.ts';
import { trapdoor } from './crypto/trapdoor.ts';

/** Trees whose proofs sign-in accepts. */
export type WalletTree = 'orb' | 'device';

/** Roots that `addWalletRoots` registers; the wallet can prove any membership in them. */
export const WALLET_ROOTS: Readonly<Record<WalletTree, Uint8Array>> = {
  orb: be32(fromBe(createHash('sha256').update('proofgate test wallet orb').digest()) % R),
  device: be32(fromBe(createHash('sha256').update('proofgate test wallet device').digest()) % R),
};

const provingKey = trapdoor();

/** Rows of the two roots of the wallet, each current in its tree, with the key trapdoor-4. */
export function walletRoots(environment: Environment, now: number): RootRow[] {
  return (['orb', 'device'] as const).map((tree) => ({
    environment,
    tree,
    root: WALLET_ROOTS[tree],
    receivedAt: now,
    supersededAt: null,
    source: 'operator',
    keyId: 'trapdoor-4',
  }));
}

/** Registers the roots of the wallet in both environments of a store. */
export async function addWalletRoots(store: Pick<Store, 'roots'>, now: number = Date.now()): Promise<void> {
  await store.roots.put([...walletRoots('staging', now), ...walletRoots('production', now)]);
}

/** Decrypted request (spec/sign-in.md#request-plaintext). */
export interface WalletPlaintext {
  readonly app_id: string;
  readonly action: string;
  readonly action_description: string;
  /** Hash of the signal. */
  readonly signal: string;
  readonly credential_types: readonly string[];
  readonly verification_level: string;
}

/** Part of a request that a proof depends on. */
export type ProvablePlaintext = Pick<WalletPlaintext, 'app_id' | 'signal'> &
  Partial<Pick<WalletPlaintext, 'action'>>;

/** A request that the wallet has taken from the bridge. */
export interface WalletRequest {
  readonly plaintext: WalletPlaintext;
  /** Id, key and bridge of the connect URL. */
  readonly link: WalletLink;
  /** Encrypts a JSON value and puts it on the bridge. Returns the status of the response. */
  answer(value: unknown): Promise<number>;
  /**
   * Puts a message on the bridge unchanged, such as one that does not decrypt. Returns the status of the
   * response.
   */
  answerRaw(message: SealedMessage): Promise<number>;
}

/** Members of a connect URL. */
export interface WalletLink {
  readonly requestId: string;
  readonly key: Buffer;
  readonly bridge: string;
}

/** Answer of the wallet with a proof (spec/sign-in.md#wallet-answer). */
export type WalletAnswer = {
  readonly proof: string;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly verification_level: string;
};

/** Input of a proof; absent members come from the request. */
export interface ProofOptions {
  /** Secret of the person who proves. */
  readonly person?: string;
  readonly tree?: WalletTree;
  readonly root?: Uint8Array;
  /** Another client to prove for. */
  readonly appId?: string;
  /** Hash of another signal. */
  readonly signal?: string;
  /** Makes a well-formed proof that does not verify. */
  readonly isFalse?: boolean;
}

/** Parses a connect URL, with its members in the fragment or the query. */
export function parseLink(connectUrl: string): WalletLink {
  const url = new URL(connectUrl);
  const members = new URLSearchParams(url.hash.length > 1 ? url.hash.slice(1) : url.search);
  if (members.get('t') !== 'wld')
    throw new Error(`expected a connect URL with t=wld, got t=${members.get('t')}`);
  return {
    requestId: members.get('i') ?? '',
    key: Buffer.from(members.get('k') ?? '', 'base64'),
    bridge: members.get('b') ?? 'https://bridge.worldcoin.org',
  };
}

/**
 * Fetches the request of a connect URL, which a bridge serves once.
 *
 * @param origin - Actual address of the bridge when its public address differs, as with port 0.
 */
export async function openRequest(connectUrl: string, origin?: string): Promise<WalletRequest> {
  const link = parseLink(connectUrl);
  const bridge =
    origin === undefined ? link.bridge : `${origin}${new URL(link.bridge).pathname.replace(/\/$/, '')}`;
  const taken = await fetch(`${bridge}/request/${link.requestId}`);
  if (taken.status !== 200) throw new Error(`GET /request: ${taken.status}`);
  const plaintext = unseal(link.key, (await taken.json()) as SealedMessage) as WalletPlaintext;
  const answerRaw = async (message: SealedMessage): Promise<number> => {
    const response = await fetch(`${bridge}/response/${link.requestId}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(message),
    });
    await response.arrayBuffer();
    return response.status;
  };
  return { plaintext, link, answerRaw, answer: (value) => answerRaw(seal(link.key, value)) };
}

/** Makes the answer with a proof, by default a valid one of the person `alice` for the tree `orb`. */
export async function proveRequest(
  { app_id, action = '', signal }: ProvablePlaintext,
  options: ProofOptions = {},
): Promise<WalletAnswer> {
  const { person = 'alice', tree = 'orb', root = WALLET_ROOTS[tree], isFalse = false } = options;
  const appId = options.appId ?? app_id;
  const nullifier = await nullifierOf(person, appId, action);
  const external = externalNullifier(appId, action);
  const inputs = [fromBe(root), fromBe(nullifier), BigInt(options.signal ?? signal), fromBe(external)];
  const key = await provingKey;
  const scalar = (): bigint => (fromBe(randomBytes(48)) % (R - 1n)) + 1n;
  return {
    proof: toHex(key.prove(inputs, scalar(), scalar(), isFalse)),
    merkle_root: toHex(root),
    nullifier_hash: toHex(nullifier),
    verification_level: tree,
  };
}

/** Nullifier of a person for an action; for that of a sign-in, from which `sub` is derived, if absent. */
export async function nullifierOf(person: string, appId: string, action = ''): Promise<Uint8Array> {
  const external = externalNullifier(appId, action);
  return await nullifierHashOf(identityFromSecret(person), external, await referencePoseidon());
}

/** Opens the request of a connect URL and answers with a proof. Returns the answer. */
export async function approve(
  connectUrl: string,
  options: ProofOptions = {},
  origin?: string,
): Promise<WalletAnswer> {
  const request = await openRequest(connectUrl, origin);
  const answer = await proveRequest(request.plaintext, options);
  await expectTaken(request.answer(answer));
  return answer;
}

/** Opens the request of a connect URL and answers with an error code. */
export async function decline(
  connectUrl: string,
  errorCode = 'verification_rejected',
  origin?: string,
): Promise<void> {
  const request = await openRequest(connectUrl, origin);
  await expectTaken(request.answer({ error_code: errorCode }));
}

/**
 * Negates A and B of a proof, which results in other bytes that verify too (spec/sign-in.md#principles,
 * single-use-transaction).
 */
export function negated(proof: string): string {
  const words = proof.slice(2).match(/.{64}/g) ?? [];
  const negate = (word: string): string =>
    BigInt(`0x${word}`) === 0n ? word : Buffer.from(be32(P - BigInt(`0x${word}`))).toString('hex');
  // A.y is word 1; B.y is words 4 and 5
  return `0x${words.map((word, index) => ([1, 4, 5].includes(index) ? negate(word) : word)).join('')}`;
}

async function expectTaken(sent: Promise<number>): Promise<void> {
  const status = await sent;
  if (status !== 201) throw new Error(`PUT /response: ${status}`);
}
