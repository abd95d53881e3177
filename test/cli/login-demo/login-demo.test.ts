import { describe, expect, it, onTestFinished } from 'vitest';
import { DEMO_CLIENT_ID } from '../../../src/development/demo-client.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { fakeCircuit } from '../../support/crypto/fake-circuit.ts';
import { freePort } from '../../support/free-port.ts';
import { startApp } from '../../support/server/start-app.ts';
import { useCircuitService } from '../support/circuit-service.ts';
import { type CliResult, productionEnv, useCliFolder } from '../support/cli.ts';

interface ShownStep {
  readonly step: number;
  readonly actor: string;
  readonly title: string;
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: { readonly status: number; readonly json?: Readonly<Record<string, unknown>> };
  readonly reads?: Readonly<Record<string, unknown>>;
}
interface SignedIn {
  readonly signed_in: boolean;
  readonly sub: string;
  readonly level: string;
}

/** Forms of a whole compact token and of a code; nothing printed may match either. */
const WHOLE_TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;
const WHOLE_CODE = /code=[\w-]{43}/;

describe.skipIf(developmentCircuit === undefined)(
  `proofgate login-demo with a running service${CIRCUIT_SKIP}`,
  { timeout: 180_000 },
  () => {
    const service = useCircuitService();
    const demo = (...argv: string[]): Promise<CliResult> =>
      service.folder.run(['login-demo', '--base-url', service.baseUrl, ...argv], { now: Date.now() });
    const persons = async (): Promise<string[]> => {
      const { stdout } = await service.folder.run(['dev', 'person', 'list', '--json']);
      return [...stdout.matchAll(/"person":"([0-9a-f]{12})"/g)].map(([, id = '']) => id);
    };

    /** Runs with `--json`. Returns the steps and the last line. */
    async function stepsOf(
      ...argv: string[]
    ): Promise<{ readonly steps: ShownStep[]; readonly end: SignedIn }> {
      const { code, stdout, stderr } = await demo('--json', ...argv);
      expect(code, stderr).toBe(0);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      return { steps: lines.slice(0, -1) as ShownStep[], end: lines.at(-1) as SignedIn };
    }

    it('creates a person when there is none, and prints each step with request and answer', async () => {
      expect(await persons()).toEqual([]);
      const { code, stdout, stderr } = await demo();
      expect(code, stderr).toBe(0);
      expect(await persons()).toHaveLength(1);
      expect(stderr).toContain('proving as person');
      expect(stdout).toContain(`→ GET ${service.baseUrl}/.well-known/openid-configuration\n   ← 200`);
      expect(stdout).toContain(`→ POST ${service.baseUrl}/token\n     grant_type=authorization_code`);
      expect(stdout).toContain('"typ": "at+jwt"');
      expect(stdout).toContain('"code": "unauthenticated"');
      expect(stdout).toContain(`     redirect_uri=${service.baseUrl}/demo/callback\n`);
      expect(stdout).toMatch(/signed in as 0x[0-9a-f]{64}, level orb\n$/);
      expect(stdout).not.toMatch(WHOLE_TOKEN);
      expect(stdout).not.toMatch(WHOLE_CODE);
    });

    if (RUNS_ALL) {
      it('prints one JSON value per line with --json, from the metadata to the revoked token', async () => {
        const { steps, end } = await stepsOf();
        expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1));
        const exchanges = steps.flatMap(({ request, response }) =>
          request === undefined ? [] : [`${request.method} ${pathOf(request.url)} ${response?.status}`],
        );
        expect(exchanges).toEqual([
          'GET /.well-known/openid-configuration 200',
          'GET /authorize 303',
          'GET /authorize/… 200',
          'GET /bridge/request/… 200',
          'PUT /bridge/response/… 201',
          'GET /authorize/…/status 200',
          'GET /authorize/…/continue 303',
          'POST /token 200',
          'GET /jwks 200',
          'GET /userinfo 200',
          'POST /introspect 401',
          'POST /revoke 200',
          'GET /userinfo 401',
        ]);
        const request = steps.find(({ title }) => title.startsWith('takes the request'))?.reads;
        expect(request).toMatchObject({ app_id: DEMO_CLIENT_ID, action: '', verification_level: 'device' });
        expect(end).toEqual({
          signed_in: true,
          sub: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          level: 'orb',
        });
        expect(await persons()).toHaveLength(1);
      });

      it('signs in as the person of a secret, in either tree with the same identifier', async () => {
        const orb = (await stepsOf('--secret', 'alice')).end;
        const device = (await stepsOf('--secret', 'alice', '--tree', 'device')).end;
        expect(orb.level).toBe('orb');
        expect(device).toEqual({ ...orb, level: 'device' });
        const [, first = ''] = await persons();
        const other = (await stepsOf('--person', first)).end;
        expect(other.sub).not.toBe(orb.sub);
        // alice, the newest person, is in both trees; the stronger level is used
        expect((await stepsOf()).end).toEqual(orb);
      });
    }

    it('reports an unknown person', async () => {
      const { code, stderr } = await demo('--person', '0123456789ab');
      expect(code).toBe(1);
      expect(stderr).toContain('development.no_person: no person has this id');
    });

    it('leaves no token in the log of the service', () => {
      expect(service.app.log()).toContain('/token');
      expect(service.app.log()).not.toMatch(WHOLE_TOKEN);
    });
  },
);

describe('proofgate login-demo, refusals', () => {
  const folder = useCliFolder({ isShared: true });

  it('names the command that builds the circuit', async () => {
    const { code, stdout, stderr } = await folder.run('login-demo');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('circuit.not_built');
    expect(stderr).toContain('proofgate circuits setup');
  });

  it('reports that the service is not running, with exit code 69', async () => {
    await fakeCircuit(folder.path);
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await folder.run(['login-demo', '--base-url', url]);
    expect(code).toBe(69);
    expect(stderr).toContain(
      `login_demo.unreachable: ${url}/.well-known/openid-configuration does not answer`,
    );
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).toContain('npm start');
  });

  it('is refused in production', async () => {
    await folder.fails('login-demo', 1, 'development.only', { env: productionEnv(folder.path) });
  });

  it('accepts only one of --secret and --person', async () => {
    await folder.fails('login-demo --secret a --person b', 2, '--secret and --person');
  });

  it('refuses an invalid address', async () => {
    await folder.fails('login-demo --base-url nonsense', 78, 'baseUrl');
  });

  it('stops at a service that names another issuer', async () => {
    await fakeCircuit(folder.path);
    const app = await startApp({ settings: { baseUrl: 'http://localhost:9' } });
    onTestFinished(async () => void (await app.stop()));
    const { code, stderr } = await folder.run(['login-demo', '--base-url', app.publicUrl]);
    expect(code).toBe(1);
    expect(stderr).toContain(`login_demo.failed: GET ${app.publicUrl}/.well-known/openid-configuration`);
    expect(stderr).toContain(`expected metadata of the issuer ${app.publicUrl}`);
  });

  it('reports that the service does not know the demo client', async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const settings = { baseUrl, 'server.host': '127.0.0.1', 'server.port': String(port) };
    const app = await startApp({ settings, dataDir: folder.path });
    onTestFinished(async () => void (await app.stop()));
    await fakeCircuit(folder.path);
    const removed = await folder.run(['apps', 'remove', DEMO_CLIENT_ID, '--yes']);
    expect(removed.code, removed.stderr).toBe(0);
    const { code, stderr } = await folder.run(['login-demo', '--base-url', baseUrl], { now: Date.now() });
    expect(code).toBe(1);
    expect(stderr).toContain('login_demo.no_client: /authorize answered app_not_found');
  });
});

/** Path of a URL, with its ids replaced by an ellipsis. */
function pathOf(url: string): string {
  return new URL(url).pathname.replace(/(?<=\/(?:authorize|request|response)\/)[^/]+/, '…');
}
