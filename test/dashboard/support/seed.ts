/** Content for the dashboard of a test. */
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { orbPem } from '../../cli/support/orb-pem.ts';
import { bodyMaker, LOAD_APP } from '../../support/load.ts';
import { registerLoadApp } from '../../support/signin/register-load-app.ts';
import type { DashboardScene } from './dashboard.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Fills every view: apps, counts of a month, actions, refusals, tokens, and a proof that is verified and one that is not. */
export async function seedDashboard({ service, call }: DashboardScene): Promise<void> {
  const { store } = service;
  await registerLoadApp(store);
  await call('POST', '/apps', { name: 'Loja do João', redirect_uris: ['https://loja.example/voltar'] });
  await call('POST', '/tokens', { name: 'monitoring', scope: 'read', expires_in_seconds: 90 * 86_400 });
  await call('POST', '/signups', {
    records: [
      { id_comm: '0x7', signup_id: 's-7', orb_id: 'orb-1', enrolled_at: '2024-01-01T00:00:00Z' },
      {
        id_comm: '0x8',
        signup_id: 's-8',
        orb_id: 'orb-1',
        enrolled_at: '2024-02-01T00:00:00Z',
        status: 'revoked',
      },
    ],
  });
  await call('POST', '/orb-keys', { records: [{ orb_id: 'orb-1', keys: [orbPem(2).pem] }] });
  const today = Math.floor(Date.now() / DAY_MS);
  const usage = Array.from({ length: 30 }, (_, age) => ({
    appId: LOAD_APP,
    day: today - age,
    environment: 'production' as const,
    kind: 'verified_new' as const,
    amount: 1200 + ((age * 373) % 900),
  }));
  const others = usage.flatMap((row) => [
    { ...row, kind: 'verified_reused' as const, amount: Math.floor(row.amount / 7) },
    { ...row, kind: 'verify_refused' as const, amount: Math.floor(row.amount / 20) },
  ]);
  const refusals = (
    ['verify.app_disabled', 'token.verifier_differs', 'proof.point_not_on_curve'] as const
  ).map((code, index) => ({
    hour: Math.floor(Date.now() / HOUR_MS) - index,
    code,
    route: index === 1 ? '/token' : '/api/v4/verify/:rp_id',
    amount: 4210 >> (index * 3),
    lastAt: Date.now() - index * HOUR_MS,
  }));
  await store.usage.add({ usage: [...usage, ...others], actions: [], refusals });
  const make = await bodyMaker('dashboard');
  for (const { body } of [make(), make(), make(true)]) {
    await fetch(`${service.baseUrl}/api/v4/verify/${LOAD_APP}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }
}

/** Writes rows straight into the database, as years of use would; one change of 1000 is by cli:maria, the latest is not. The hashes of the audit rows are not a chain. */
export function seedMany(database: string, apps: number, auditRows: number): void {
  const connection = new LibsqlConnection(database, 30_000);
  const count = (name: string, amount: number): string =>
    `with recursive ${name}(n) as (select 1 union all select n + 1 from ${name} where n < ${amount})`;
  const appId = `'app_' || printf('%032x', n)`;
  connection.execute(`insert into apps
    (app_id, rp_id, name, status, verification, development_at, created_at, updated_at)
    ${count('rows', apps)}
    select ${appId}, 'rp_' || printf('%016x', n), 'Shop number ' || n, 'active', 'registered', null, n, n from rows`);
  connection.execute(`insert into audit_log
    (seq, at, actor, action, target, request_id, before_value, after_value, hash)
    ${count('rows', auditRows)}
    select (select max(seq) from audit_log) + n, 1700000000000 + n * 1000, case when n % 1000 = 999 then 'cli:maria' else 'api:config' end, 'app.updated',
      ${appId}, null, '{"name":"before ' || n || '"}', '{"name":"after ' || n || '"}', printf('%064x', n) from rows`);
  connection.execute(
    'update audit_head set (seq, hash) = (select seq, hash from audit_log order by seq desc limit 1)',
  );
  connection.close();
}
