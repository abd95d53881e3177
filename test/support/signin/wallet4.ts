/**
 * A wallet of World ID 4.0 as people have it: of an older or a newer kind, with a guard that refuses to prove a nullifier
 * again, in one of several installations (spec/sign-in.md#world-id-40).
 */

import type { Store } from '../../../src/storage/store.ts';
import { parsePlaintext4, requestKind } from '../proof-request4.ts';
import { openRequest, proveRequest, type WalletRequest } from '../test-wallet.ts';
import { type ProofResponse4, proveRequest4 } from '../test-wallet4.ts';

const GUARD_FROM_MS = 600_000;
const GUARD_UNTIL_MS = 365 * 86_400_000;

/** What a wallet has and can. */
export interface Wallet4Options {
  readonly person: string;
  /** `old`: world-id-primitives before 0.14, which cannot bind. */
  readonly kind?: 'old' | 'new';
  /** Versions of World ID that the person has. */
  readonly has?: readonly ('3.0' | '4.0')[];
  /** Identifiers of the credentials; by default of every issuer. */
  readonly holds?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What a wallet answered. */
export type Answered4 =
  | { readonly protocol: '3.0' }
  | { readonly protocol: '4.0'; readonly response: ProofResponse4 }
  | { readonly error: string };

/** One installation of a wallet. */
export class Wallet4 {
  /** First time of each nullifier, in milliseconds since the epoch. */
  readonly proven: Map<string, number> = new Map();
  readonly #options: Required<Omit<Wallet4Options, 'holds'>> & Pick<Wallet4Options, 'holds'>;

  constructor(options: Wallet4Options) {
    this.#options = { kind: 'new', has: ['3.0', '4.0'], now: Date.now, ...options };
  }

  /** The same person with another installation, whose guard is empty. */
  installAnew(change: Partial<Wallet4Options> = {}): Wallet4 {
    return new Wallet4({ ...this.#options, ...change });
  }

  /** Opens the request of a connect URL and answers it, by World ID 4.0 where both are possible. */
  async answer(connectUrl: string, store: Store): Promise<Answered4> {
    return await this.answerTo(await openRequest(connectUrl), store);
  }

  /** Answers a request that was opened before. */
  async answerTo(request: WalletRequest, store: Store): Promise<Answered4> {
    const { value, answered } = await this.prepare(request, store);
    const status = await request.answer(value);
    if (status !== 201) throw new Error(`PUT /response: ${status}`);
    return answered;
  }

  /** Makes the answer to a request; the guard has then seen its nullifier. */
  async prepare(
    { plaintext }: WalletRequest,
    store: Store,
  ): Promise<{ readonly value: unknown; readonly answered: Answered4 }> {
    const { person, kind, has, holds } = this.#options;
    const fail = (error: string) => ({ value: { error_code: error }, answered: { error } });
    if (!('proof_request' in plaintext)) {
      if (!has.includes('3.0')) return fail('world_id_3_not_available');
      return { value: await proveRequest(plaintext, { person }), answered: { protocol: '3.0' } };
    }
    const parsed = parsePlaintext4(plaintext);
    const { proof_request: asked, allow_legacy_proofs: takes3 } = parsed;
    if (asked === undefined) throw new Error('expected a request of World ID 4.0');
    if (!has.includes('4.0')) {
      if (!takes3) return fail('world_id_4_not_available');
      return { value: await proveRequest(plaintext, { person }), answered: { protocol: '3.0' } };
    }
    const flow = requestKind(asked);
    const isOldForm = asked.proof_type === 'create_session';
    const isNewForm = asked.session_id === 'create';
    if (kind === 'old' ? isNewForm : isOldForm) return fail('malformed_request');
    const response = await proveRequest4(asked, store, {
      person,
      ...(holds === undefined ? {} : { holds }),
      isBound: flow === 'bound',
    });
    if (response.error !== undefined) {
      const error = response.error === 'session_mismatch' ? 'generic_error' : response.error;
      return fail(error);
    }
    const nullifier = response.responses[0]?.nullifier;
    if (nullifier !== undefined && this.#isGuarded(nullifier)) return fail('nullifier_replayed');
    return { value: { proof_response: response }, answered: { protocol: '4.0', response } };
  }

  #isGuarded(nullifier: string): boolean {
    const now = this.#options.now();
    const first = this.proven.get(nullifier);
    if (first === undefined || now - first > GUARD_UNTIL_MS) {
      this.proven.set(nullifier, now);
      return false;
    }
    return now - first > GUARD_FROM_MS;
  }
}
