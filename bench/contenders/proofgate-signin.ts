import { createHash, randomBytes } from 'node:crypto';
import type { NewCode } from '../../src/storage/signin/grants.ts';
import type { Store } from '../../src/storage/store.ts';
import { addClient, type TestClient } from '../../test/support/signin/clients.ts';
import { addWalletRoots } from '../../test/support/test-wallet.ts';
import { startServer } from '../load/processes/server-process.ts';
import { prepareSigninTarget } from '../load/signin/signin-target.ts';
import { CODE_TERMS, type SigninContender, TTL_SECONDS } from './signin-contender.ts';

// Concurrent writes of codes; one commit each.
const WRITERS = 64;

const sha256 = (bytes: string | Uint8Array): Uint8Array =>
  new Uint8Array(createHash('sha256').update(bytes).digest());

async function issueCode(store: Store, { clientId, redirectUri }: TestClient): Promise<string> {
  const now = Date.now();
  const expiresAt = now + TTL_SECONDS.code * 1000;
  const text = randomBytes(32).toString('base64url');
  const code: NewCode = {
    codeHash: sha256(text),
    clientId,
    redirectUri,
    scope: CODE_TERMS.scope,
    codeChallenge: CODE_TERMS.challenge,
    dpopJkt: null,
    nonce: JSON.stringify(CODE_TERMS.nonce),
    sid: null,
    txn: null,
    accepted: { sub: sha256(`sub ${text}`), level: 'orb', authTime: now },
    codeExpiresAt: expiresAt,
    expiresAt,
  };
  if (!(await store.grants.issue(code, { hash: sha256(`spent ${text}`), expiresAt }, now)))
    throw new Error('a new code was not stored');
  return text;
}

/** Starts the built service with a client and the wallet's roots; a second connection writes the codes. */
export async function startProofgate(folder: string): Promise<SigninContender> {
  const { settings, store, endpointsOf } = await prepareSigninTarget(folder, 'sign-in', {
    PROOFGATE_SIGNIN_ACCESS_TOKEN_TTL_SECONDS: String(TTL_SECONDS.token),
    PROOFGATE_SIGNIN_ID_TOKEN_TTL_SECONDS: String(TTL_SECONDS.token),
    PROOFGATE_SIGNIN_CODE_TTL_SECONDS: String(TTL_SECONDS.code),
  });
  try {
    await addWalletRoots(store);
    const client = await addClient(store, { requirePkce: true });
    const server = await startServer(settings);
    const durable = `durable writes (${store.health().durability.text})`;
    return {
      name: 'proofgate',
      isPeer: false,
      endpoints: endpointsOf(client),
      pid: server.pid,
      accessTokens: 'at+jwt',
      hasUserinfo: true,
      notes: {
        token: `${durable}; two RS256 signatures, JWT access token`,
        userinfo: 'verifies the RS256 signature and asks the revocation list on disk',
        flow: `${durable}; two RS256 signatures; page, bridge and a proof that is verified, 8 requests`,
      },
      async codes(count) {
        const texts: string[] = [];
        const write = async (): Promise<void> => {
          while (texts.length < count) {
            const at = texts.push('') - 1;
            texts[at] = await issueCode(store, client);
          }
        };
        await Promise.all(Array.from({ length: WRITERS }, write));
        return texts;
      },
      async stop() {
        await server.stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
