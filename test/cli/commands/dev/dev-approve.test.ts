import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEMO_CLIENT_ID, demoRedirectUri } from '../../../../src/development/demo-client.ts';
import { RUNS_ALL } from '../../../support/cases.ts';
import { CIRCUIT_SKIP, developmentCircuit } from '../../../support/crypto/development-circuit.ts';
import { freePort } from '../../../support/free-port.ts';
import { runProofgate } from '../../../support/server/server-process.ts';
import { beginSignIn, type PendingSignIn } from '../../../support/signin/driver.ts';
import { useCircuitService } from '../../support/circuit-service.ts';
import { type CliResult, makeCliFolder, productionEnv, useCliFolder } from '../../support/cli.ts';

const VERIFIER = 'a verifier of forty-three characters at least, as PKCE wants'.replaceAll(/\W/g, '-');

describe.skipIf(developmentCircuit === undefined)(
  `proofgate dev approve with a running service${CIRCUIT_SKIP}`,
  { timeout: 180_000 },
  () => {
    const service = useCircuitService();
    const begin = (parameters: Readonly<Record<string, string>> = {}): Promise<PendingSignIn> =>
      beginSignIn(service.baseUrl, {
        response_type: 'code',
        client_id: DEMO_CLIENT_ID,
        redirect_uri: demoRedirectUri(service.baseUrl),
        scope: 'openid',
        code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
        code_challenge_method: 'S256',
        ...parameters,
      });
    const approve = (...argv: string[]): Promise<CliResult> =>
      service.folder.run(['dev', 'approve', ...argv], { now: Date.now() });
    const tokensOf = async (signIn: PendingSignIn): Promise<{ readonly id_token: string }> => {
      const { parameters } = await signIn.finish();
      const response = await fetch(`${service.baseUrl}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: parameters.code ?? '',
          redirect_uri: demoRedirectUri(service.baseUrl),
          client_id: DEMO_CLIENT_ID,
          code_verifier: VERIFIER,
        }),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as { id_token: string };
    };
    const claimsOf = ({ id_token }: { readonly id_token: string }): Readonly<Record<string, unknown>> =>
      JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        unknown
      >;

    it('keeps a request that it cannot answer: an unknown person, a missing circuit; then approves it as a separate process with a new person, and the app gets its tokens', async () => {
      const signIn = await begin();
      const nobody = await approve(signIn.connectUrl, '--person', '0123456789ab');
      expect(nobody.code).toBe(1);
      expect(nobody.stderr).toContain('proofgate: development.no_person: ');
      const empty = await makeCliFolder();
      const unbuilt = await empty.run(['dev', 'approve', signIn.connectUrl]);
      await empty.remove();
      expect(unbuilt.code).toBe(1);
      expect(unbuilt.stderr).toContain('proofgate: circuit.not_built: ');
      expect(await signIn.status()).toMatchObject({ status: 'waiting' });
      const { code, output } = await runProofgate(['dev', 'approve', signIn.connectUrl], {
        PROOFGATE_DATA_DIR: service.folder.path,
        PROOFGATE_PROFILE: 'test',
      });
      expect(code, output).toBe(0);
      expect(output).toMatch(
        new RegExp(`approved: app ${DEMO_CLIENT_ID} has the proof of person [0-9a-f]{12}`),
      );
      expect(await signIn.settle()).toMatchObject({ status: 'completed' });
      expect(claimsOf(await tokensOf(signIn))).toMatchObject({ aud: DEMO_CLIENT_ID, acr: 'orb' });
      const again = await approve(signIn.connectUrl);
      expect(again.code).toBe(1);
      expect(again.stderr).toContain('proofgate: approve.request_gone: ');
    });

    if (RUNS_ALL) {
      it('gives one person the same sub in every tree, and does not print the key of the link', async () => {
        const run = async (...argv: string[]) => {
          const signIn = await begin();
          const { code, stdout, stderr } = await approve(signIn.connectUrl, '--json', '--quiet', ...argv);
          expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
          expect(stdout).not.toContain(
            new URLSearchParams(new URL(signIn.connectUrl).hash.slice(1)).get('k'),
          );
          expect(await signIn.settle()).toMatchObject({ status: 'completed' });
          return {
            shown: JSON.parse(stdout) as Readonly<Record<string, string>>,
            claims: claimsOf(await tokensOf(signIn)),
          };
        };
        const first = await run('--secret', 'alice');
        expect(first.shown).toEqual({
          answered: 'approved',
          app_id: DEMO_CLIENT_ID,
          action: '',
          person: expect.stringMatching(/^[0-9a-f]{12}$/),
          tree: 'orb',
        });
        const device = await run('--person', first.shown.person ?? '', '--tree', 'device');
        expect(device.claims).toMatchObject({ sub: first.claims.sub, acr: 'device' });
        const other = await run('--secret', 'bob');
        expect(other.claims.sub).not.toBe(first.claims.sub);
      });
    }

    if (RUNS_ALL) {
      it('proves in the tree that the app requests', async () => {
        await service.folder.json(['dev', 'person', 'create', '--secret', 'carol', '--tree', 'device']);
        const signIn = await begin({ acr_values: 'orb' });
        const result = await approve(signIn.connectUrl, '--json', '--secret', 'carol');
        expect(JSON.parse(result.stdout)).toMatchObject({ tree: 'orb' });
        expect(await signIn.settle()).toMatchObject({ status: 'completed' });
      });
    }

    it('declines', async () => {
      const signIn = await begin();
      const { code, stdout } = await approve(signIn.connectUrl, '--decline');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'declined\n' });
      expect(await signIn.settle()).toMatchObject({ status: 'refused', code: 'verification_rejected' });
    });

    it('reports that the key of the link does not decrypt the request', async () => {
      const { connectUrl } = await begin();
      const foreign = connectUrl.replace(
        /k=[^&]*/,
        `k=${encodeURIComponent(Buffer.alloc(32).toString('base64'))}`,
      );
      const { code, stderr } = await approve(foreign);
      expect(code).toBe(1);
      expect(stderr).toContain('proofgate: approve.failed: the key of the link does not open the request');
    });
  },
);

describe('proofgate dev approve, refusals', () => {
  const KEY = encodeURIComponent(Buffer.alloc(32, 1).toString('base64'));
  const ID = '0b8d0c51-7a5e-4b4f-9d7e-5d1f0a6b7c8d';
  const folder = useCliFolder({ isShared: true });

  const approve = (link: string, env: Record<string, string> = {}): Promise<CliResult> =>
    folder.run(`dev approve ${link} --decline`, { env });

  it.each([
    ['no URL', 'wallet', 'it is not a URL'],
    ['the wallet page itself', 'http://localhost:8080/wallet', 'it has no member t=wld'],
    ['another kind', `http://localhost/wallet#t=xyz&i=${ID}&k=${KEY}`, 'it has no member t=wld'],
    ['a short id', `http://localhost/wallet#t=wld&i=1&k=${KEY}`, 'its member i is not the id of a request'],
    [
      'an id that is a path',
      `http://localhost/wallet#t=wld&i=..%2F..%2Fadmin%2Fv1%2Fapps&k=${KEY}`,
      'its member i',
    ],
    ['a short key', `http://localhost/wallet#t=wld&i=${ID}&k=AAAA`, 'its member k is not 32 bytes'],
    ['no bridge', `http://localhost/wallet#t=wld&i=${ID}&k=${KEY}`, 'it names no bridge'],
    [
      'a bridge that is a file',
      `http://localhost/wallet?t=wld&i=${ID}&k=${KEY}&b=file:///etc`,
      'its member b',
    ],
  ])('refuses %s instead of a link, without printing its key', async (_what, link, reason) => {
    const { code, stdout, stderr } = await approve(link);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain(KEY);
  });

  it('exits with 69 when the bridge does not answer', async () => {
    const bridge = encodeURIComponent(`http://127.0.0.1:${await freePort()}/bridge`);
    const { code, stderr } = await approve(`http://localhost/wallet#t=wld&i=${ID}&k=${KEY}&b=${bridge}`);
    expect(code).toBe(69);
    expect(stderr).toContain('proofgate: approve.unreachable: ');
  });

  it('is refused in production', async () => {
    const { code, stderr } = await approve('http://localhost/wallet', productionEnv(folder.path));
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: development.only: ');
  });
});
