/**
 * Follows production.md from its first block to its last, on a machine in a folder. The blocks run in the order of the
 * page in one shell; each test continues where the one before has ended.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled } from '../../attacks/support/framing/proxies.ts';
import { makeOperatorMachine, type OperatorMachine } from './support/operator-machine.ts';
import { snippet, snippetsOf } from './support/snippets.ts';

const GUIDE = 'production';
/** Answer to a client whose secret is right, about a token that there is not. */
const SECRET_WORKS = /^\{"active":false/;
const missing = ['nginx', 'curl', 'openssl'].filter((program) => !isInstalled(program));
const SKIP = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;

/** Lines of `doctor` by the name of their check. */
function checksOf(output: string): Map<string, string> {
  const lines = output.matchAll(/^(?:ok|warn|fail) +(\S+(?: \S+)*?) {2,}(.*)$/gm);
  return new Map([...lines].map(([line, name = '']) => [name, line]));
}

describe.skipIf(missing.length > 0)(
  `an operator who follows production.md${SKIP}`,
  { timeout: 180_000 },
  () => {
    let machine: OperatorMachine;
    let issuer: string;
    const secretOf = (name: string): string =>
      readFileSync(machine.at(`/etc/proofgate/secrets/${name}`), 'utf8').trim();
    /** Asks with the secret of the first app whether a token is active. */
    const checkApp = (): Promise<string> => machine.run('check-app.sh');

    beforeAll(async () => {
      machine = await makeOperatorMachine();
    });
    afterAll(() => machine?.end());

    it('gets settings and secrets, which no other user may read', async () => {
      await machine.run('shell.sh', 'init.sh');
      const explained = await machine.run('settings.sh');
      expect(explained).toMatch(/keys\.masterKey .*set/);
      for (const name of ['master-key', 'admin-token', 'signing-seed']) {
        expect(explained).not.toContain(secretOf(name));
        expect(statSync(machine.at(`/etc/proofgate/secrets/${name}`)).mode & 0o777).toBe(0o600);
      }
    });

    it('gets a running service behind TLS, about which doctor has no finding but the absent roots', async () => {
      await machine.run('rehearse.sh', 'proxy.sh');
      const output = await machine.run('start.sh');
      const findings = [...checksOf(output)].filter(([, line]) => !line.startsWith('ok'));
      expect(findings.map(([name]) => name)).toEqual(['roots']);
      expect(checksOf(output).get('proxy trust')).toMatch(/^ok/);
      issuer = /"issuer":"(https:\/\/localhost:\d+)"/.exec(output)?.[1] ?? '';
      expect(issuer).not.toBe('');
      await expect.poll(() => machine.log()).toContain('the issuer answers at baseUrl as configured');
    });

    it('registers an app by command, whose secret works, and one over the admin API', async () => {
      const shown = await machine.run('first-app.sh');
      expect(shown).toMatch(/app_id: 'app_[0-9a-f]{32}'/);
      expect(shown).not.toContain('sk_');
      expect(await checkApp()).toMatch(SECRET_WORKS);
      expect(await machine.run('dashboard-token.sh')).toContain('<title>Proofgate</title>');
      const changed = await machine.run('first-api.sh');
      expect(JSON.parse(changed)).toMatchObject({ name: 'Town poll' });
    });

    it('has a token for scrapes that changes nothing', async () => {
      expect(await machine.run('scrape-token.sh')).toBe('proofgate_ready 1\n');
      const ask = (flags: string): Promise<string> =>
        machine.runText(`curl -sS -o ${machine.at('/tmp/answer')} -w '%{http_code}\\n' ${flags}`);
      expect(await ask('http://127.0.0.1:9090/metrics')).toBe('401\n');
      const token = `-H "Authorization: Bearer $(cat /etc/prometheus/proofgate-token)"`;
      expect(await ask(`${token} -X DELETE "http://127.0.0.1:9090/admin/v1/apps/$APP_ID"`)).toBe('403\n');
    });

    it('backs up, rehearses a restore beside the running service, and restores', async () => {
      machine.install('proofgate-backup', '/usr/local/sbin/proofgate-backup');
      const cron = snippetsOf(GUIDE).find(({ language }) => language === 'cron')?.text ?? '';
      expect(cron).toMatch(/^(?:\S+ ){5}root \/usr\/local\/sbin\/proofgate-backup\n$/);
      await machine.run('backup.sh');
      const files = readdirSync(machine.at('/var/backups/proofgate')).map((name) => name.replace(/.*\./, ''));
      expect(files.sort()).toEqual(['audit-head', 'db']);

      const rehearsal = await machine.run('rehearse-restore.sh');
      expect(rehearsal).toMatch(/restored .*apps 2,/);
      expect(checksOf(rehearsal).get('signing keys')).toMatch(/^ok/);
      expect(checksOf(rehearsal).get('client secrets')).toMatch(/^ok/);
      expect(rehearsal).toMatch(/^sound: \d+ rows$/m);

      await machine.runText('proofgate apps add --name "After the backup"');
      expect(await machine.runText('proofgate apps list')).toContain('After the backup');
      await machine.run('restore.sh');
      expect(await machine.runText('proofgate apps list')).not.toContain('After the backup');
      expect(await checkApp()).toMatch(SECRET_WORKS);
    });

    it('upgrades, and goes back', async () => {
      const target = (): Promise<string> => machine.runText('readlink /opt/proofgate');
      const plan = await machine.run('plan-upgrade.sh');
      expect(plan).toContain('next: Adds the tables of the next release.');
      expect(plan).toContain('Afterwards the former release can start again on this store.');
      expect(plan).toMatch(/the start migrates\n$/);
      expect(machine.log()).not.toContain('store.migrating');
      await machine.run('upgrade.sh');
      expect(await target()).toMatch(/0\.2\.0\n$/);
      await expect.poll(() => machine.log()).toContain('"event":"store.migrating"');
      expect(await checkApp()).toMatch(SECRET_WORKS);
      await machine.run('roll-back.sh');
      expect(await target()).toMatch(/0\.1\.0\n$/);
      expect(await checkApp()).toMatch(SECRET_WORKS);
    });

    it('rotates the credential key, the master key and the key of client secrets', async () => {
      const keys = await machine.run('rotate-credential-key.sh');
      expect(keys).toMatch(/retired/);
      const before = secretOf('master-key');
      const checks = checksOf(await machine.run('rotate-master-key.sh'));
      expect(secretOf('master-key')).not.toBe(before);
      expect(secretOf('master-key-former')).toBe(before);
      expect(checks.get('client secrets')).toMatch(/under a former key/);
      // each client comes once
      const otherApp = snippet(GUIDE, 'check-app.sh').replace('/root/shop', '/root/poll');
      expect(await checkApp()).toMatch(SECRET_WORKS);
      expect(await machine.runText(otherApp)).toMatch(SECRET_WORKS);
      const rehashed = (): number => machine.log().split('"event":"client.secret_rehashed"').length - 1;
      await expect.poll(rehashed).toBe(2);
      await machine.run('end-master-key-rotation.sh');
      expect(await checkApp()).toMatch(SECRET_WORKS);
      await machine.run('rotate-hmac-key.sh');
      expect(await checkApp()).toMatch(SECRET_WORKS);
    });

    it('revokes a leaked token, and finds what was done with it and that the log is whole', async () => {
      const output = await machine.run('revoke-token.sh');
      expect(output).toMatch(/api:at_[0-9a-f]+ +app\.updated/);
      const call = 'curl -sS -H @/root/provisioning.header http://127.0.0.1:9090/admin/v1/status';
      expect(JSON.parse(await machine.runText(call))).toMatchObject({ status: 401 });
      const audit = await machine.run('audit.sh');
      expect(audit).toContain('admin_token.revoked');
      expect(audit).toMatch(/^sound: \d+ rows$/m);
    });

    it('finds the log lines of a refusal as troubleshoot.md says', async () => {
      const first = await machine.runOf('troubleshoot', 'first-look.sh');
      expect(checksOf(first).get('store')).toMatch(/^ok/);
      expect(first).toMatch(/^\{"status":"ok".*"checks":/m);
      await machine.runText('curl -sS -u app_none:wrong -d token=none "https://$NAME/introspect"');
      // the log is written behind the answer
      await expect.poll(() => machine.log()).toContain('"route":"/introspect","method":"POST","status":401');
      const lines = await machine.runOf('troubleshoot', 'find-code.sh');
      expect(lines).toMatch(/"route":"\/introspect".*"status":401/);
    });

    it('serves again with new keys after the master key was lost', async () => {
      rmSync(machine.at('/etc/proofgate/secrets/master-key'));
      await machine.run('lost-master-key.sh');
      // its key of client secrets was not lost
      expect(await checkApp()).toMatch(SECRET_WORKS);
      const jwks = JSON.parse(await machine.runText(`curl -sS ${issuer}/jwks`)) as { keys: object[] };
      expect(jwks.keys.length).toBeGreaterThan(2);
    });

    it('has run every block of the page that tests can run', () => {
      const source = readFileSync(new URL(import.meta.url), 'utf8');
      // production-postgres.test.ts runs SQL
      const files = snippetsOf(GUIDE).flatMap(({ language, file = [] }) => (language === 'sql' ? [] : file));
      expect(files.filter((file) => !source.includes(`'${file}'`))).toEqual([]);
    });
  },
);
