import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runIn } from '../../cli/support/cli.ts';
import { freePort } from '../../support/free-port.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { beginSignIn, type PendingSignIn } from '../../support/signin/driver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { negated, openRequest } from '../../support/test-wallet.ts';
import { relyingParty, tokensOf } from '../support/relying-party.ts';

interface KnownProof {
  readonly app_id?: string;
  readonly action?: string;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly proof: string;
}

const CLIENT = 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614';
const CALLBACK = 'https://shop.example/cb';
const SUB = '0x2978b7ab28667fc641e0a38af57b6d177592d268a6d97aec19205a97bf456f23';

/**
 * The known-answer proof (spec/sign-in.md#known-answer-proof), which was made with the genuine circuit. The
 * service is set up with the commands of an operator.
 */
describe('the known-answer proof', () => {
  const dataDir = temporaryFolder('known-answer', afterAll);
  const vectors = new URL('../../vectors/semaphore-proofs.json', import.meta.url);
  const proofs = JSON.parse(readFileSync(vectors, 'utf8')) as KnownProof[];
  const known = proofs.find(({ app_id, action }) => app_id === CLIENT && action === '');
  let app: StartedApp | undefined;
  let baseUrl: string;
  let clientSecret: string;

  beforeAll(async () => {
    if (known === undefined) throw new Error('the vectors lack the known-answer proof');
    const port = await freePort();
    baseUrl = `http://127.0.0.1:${port}`;
    const settings = { baseUrl, 'server.host': '127.0.0.1', 'server.port': String(port) };
    const env = environmentOf({ profile: 'test', dataDir, ...settings });
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runIn(dataDir, args, { env, now: Date.now() });
      expect(code, stderr).toBe(0);
      return stdout;
    };
    const root = ['--environment', 'staging', '--tree', 'orb', '--root', known.merkle_root];
    const client = ['--app-id', CLIENT, '--redirect-uri', CALLBACK, '--signal-is-nonce'];
    await run('migrate', 'up');
    const added = await run('apps', 'add', ...client, '--json');
    clientSecret = /"client_secret": ?"(sk_[0-9a-f]{48})"/.exec(added)?.[1] ?? '';
    expect(clientSecret).not.toBe('');
    await run('roots', 'add', ...root, '--key', 'semaphore-depth30');
    app = await startApp({ dataDir, settings });
  });
  afterAll(async () => {
    await app?.stop();
  });

  async function answered(nonce: string, proof = known?.proof): Promise<PendingSignIn> {
    const signIn = await beginSignIn(baseUrl, {
      client_id: CLIENT,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid email',
      nonce,
    });
    const request = await openRequest(signIn.connectUrl);
    const { merkle_root, nullifier_hash } = known ?? {};
    expect(await request.answer({ proof, merkle_root, nullifier_hash, verification_level: 'orb' })).toBe(201);
    return signIn;
  }

  it('is refused with another nonce, and yields its sub with its own nonce', async () => {
    const other = await answered('e2e-tests-2');
    expect(await other.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });

    const signIn = await answered('e2e-tests-1');
    expect(await signIn.settle()).toMatchObject({ status: 'completed', code: null });
    const party = relyingParty(baseUrl, { clientId: CLIENT, clientSecret, redirectUri: CALLBACK });
    const { accessToken, idToken } = await tokensOf(party, (await signIn.finish()).parameters.code);
    const level = { [`${baseUrl}/v1`]: { verification_level: 'orb' } };
    const person = { sub: SUB, email: `${SUB}@127.0.0.1`, ...level };
    expect(decodeJwt(idToken)).toMatchObject({ ...person, aud: CLIENT, acr: 'orb', nonce: 'e2e-tests-1' });
    expect(await party.userinfo(accessToken)).toMatchObject({ status: 200, body: person });
  });

  it('is refused when replayed, also with A and B negated, which still verifies', async () => {
    for (const proof of [known?.proof ?? '', negated(known?.proof ?? '')]) {
      expect(await (await answered('e2e-tests-1', proof)).settle()).toMatchObject({
        status: 'failed',
        code: 'invalid_proof',
        detail: 'This proof has already been used. Please try again.',
      });
    }
  });
});
