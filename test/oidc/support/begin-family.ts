import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { makeRefreshToken, type RefreshToken } from '../../../src/oidc/refresh-tokens.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { AcceptedProof } from '../../../src/storage/values.ts';

/** A family of refresh tokens in a store. */
export interface BegunFamily {
  readonly familyId: string;
  /** The token in force. */
  readonly token: RefreshToken;
}

const LIFE_MS = 86_400_000;
const ACCEPTED: AcceptedProof = { sub: new Uint8Array(32).fill(0x21), level: 'orb', authTime: 0 };

/** Begins a family of refresh tokens that lives a day, as the exchange of a code does. */
export async function beginFamily(
  { grants }: Pick<Store, 'grants'>,
  clientId: string,
  now: number,
): Promise<BegunFamily> {
  const codeHash = new Uint8Array(randomBytes(32));
  const familyId = randomUUID();
  const token = makeRefreshToken();
  const { lookupHash, tokenHash } = token;
  const end = now + LIFE_MS;
  const scope = 'openid offline_access';
  const code = {
    codeHash,
    clientId,
    redirectUri: 'https://shop.example/cb',
    scope,
    codeChallenge: null,
    dpopJkt: null,
    sid: null,
    txn: null,
  };
  const spent = { hash: new Uint8Array(createHash('sha256').update(codeHash).digest()), expiresAt: end };
  await grants.issue(
    { ...code, nonce: null, accepted: ACCEPTED, codeExpiresAt: end, expiresAt: end },
    spent,
    now,
  );
  await grants.useCode(codeHash, clientId, familyId, end, now, () => ({
    lookupHash,
    tokenHash,
    scope,
    sid: null,
    jkt: null,
    expiresAt: end,
  }));
  return { familyId, token };
}
