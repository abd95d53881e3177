/** Values that the demo must remember while the person is on the sign-in page. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** PKCE verifier; absent if the response type has no code. */
  readonly verifier?: string;
  readonly responseType: string;
}

/**
 * The part of `sessionStorage` that is used. It belongs to one tab, so that tabs do not interfere with each
 * other.
 */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'proofgate.demo.';

/** Stores a sign-in under its state. */
export function rememberSignIn(storage: TabStorage, pending: PendingSignIn): void {
  storage.setItem(`${PREFIX}${pending.state}`, JSON.stringify(pending));
}

/**
 * Takes the sign-in that was stored under a state. It can be taken once, so that a replayed answer is not
 * used.
 *
 * @returns undefined if this tab began no such sign-in, or has read its answer already.
 */
export function takeSignIn(storage: TabStorage, state: string): PendingSignIn | undefined {
  const key = `${PREFIX}${state}`;
  const text = storage.getItem(key);
  storage.removeItem(key);
  return text === null ? undefined : (JSON.parse(text) as PendingSignIn);
}
