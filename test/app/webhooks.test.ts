import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AdminClient, startAdmin } from '../admin/support/admin-client.ts';
import { makeCliFolder } from '../cli/support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollUntil } from '../support/until.ts';
import { type Receiver, startReceiver } from '../webhooks/support/receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const APP = { app_id: 'app_0123456789abcdef0123456789abcdef', name: 'Shop' };

let receiver: Receiver;
let admin: AdminClient | undefined;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  await admin?.app.stop();
  admin = undefined;
  await receiver.close();
});

const settings = (more: Record<string, string> = {}): Record<string, string> => ({
  'webhooks.url': receiver.url,
  'webhooks.secret': SECRET,
  ...more,
});

interface SentEvent {
  readonly type: string;
  readonly data: { readonly app_id?: string; readonly code?: string };
}

const events = (): SentEvent[] => receiver.received.map(({ body }) => JSON.parse(body) as SentEvent);
const outboxRows = async ({ app }: AdminClient): Promise<number | undefined> => {
  const store = await app.openStore();
  const { outbox } = await store.rowCounts();
  await store.close();
  return outbox;
};

/** Verifies the example proof; returns the text of the request, which holds the nullifier. */
async function verifyExample({ app }: AdminClient): Promise<string> {
  const [, url = '', body = ''] = /'(http[^']*)'.* -d '(.*)'$/.exec(app.exampleCurl ?? '') ?? [];
  const response = await fetch(url, { method: 'POST', body });
  expect(await response.json()).toMatchObject({ success: true });
  return body;
}

describe('a service with webhooks', () => {
  it('sends the changes of operators and its refusals, and nothing of a person', async () => {
    const client = await startAdmin({ settings: settings({ 'webhooks.refusalsPerMinute': '3' }) });
    admin = client;
    const atStart = await outboxRows(client);
    const proof = await verifyExample(client);
    expect(await outboxRows(client)).toBe(atStart);

    const { status } = await client.call('POST /apps', { body: APP });
    expect(status).toBe(201);
    // again if the minute ends in between
    const isRefused = async (): Promise<boolean> => {
      for (let count = 0; count < 3; count++) await fetch(`${client.app.publicUrl}/nothing/here`);
      await client.call('GET /errors/recent');
      return events().some(({ type }) => type === 'refusals.above_threshold');
    };
    await pollUntil(isRefused);
    await pollUntil(() => events().some(({ data }) => data.app_id === APP.app_id));
    expect(events().find(({ type }) => type === 'refusals.above_threshold')).toMatchObject({
      data: { code: 'http.not_found', per_minute: 3 },
    });

    const metrics = await (await fetch(`${client.app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^proofgate_webhooks_total\{result="delivered"\} [1-9]/m);
    expect(metrics).toMatch(/^proofgate_webhooks_unsent\{state="dead"\} 0$/m);

    const sent = JSON.stringify(receiver.received);
    const secrets = [...proof.matchAll(/"((?:0x)?[0-9a-fA-F]{40,})"/g)].flatMap(([, text]) => text ?? []);
    expect(secrets.length).toBeGreaterThan(0);
    for (const text of [...secrets, SECRET, client.token, APP.name]) expect(sent).not.toContain(text);
    for (const member of ['nullifier', 'sub', 'proof', 'token', 'secret']) {
      expect(sent).not.toContain(`"${member}\\"`);
    }
    expect(client.app.log()).not.toContain(SECRET);
  });

  it('sends what was committed before it was killed or while none ran', async () => {
    const dataDir = temporaryFolder('webhooks', onTestFinished);
    onTestFinished(async () => {
      await admin?.app.stop();
      admin = undefined;
    });
    const folder = await makeCliFolder();
    const env = {
      PROOFGATE_WEBHOOKS_URL: receiver.url,
      PROOFGATE_WEBHOOKS_SECRET: SECRET,
      PROOFGATE_PROFILE: 'test',
      PROOFGATE_DATA_DIR: dataDir,
    };
    await folder.json(['migrate', 'up'], { env });
    await folder.json(['apps', 'add', '--app-id', APP.app_id, '--redirect-uri', 'https://a.example/cb'], {
      env,
    });
    await folder.remove();
    expect(receiver.received).toEqual([]);
    admin = await startAdmin({ dataDir, settings: settings() });
    await pollUntil(() => events().some(({ data }) => data.app_id === APP.app_id));
    expect(events().filter(({ data }) => data.app_id === APP.app_id)).toHaveLength(1);
  });
});

describe('a service without webhooks', () => {
  it('records no event', async () => {
    // Its outbox is empty.
    admin = await startAdmin();
    await admin.call('POST /apps', { body: APP });
    await verifyExample(admin);
    expect(await outboxRows(admin)).toBe(0);
    expect(await (await fetch(`${admin.app.adminUrl}/metrics`)).text()).not.toContain(
      'proofgate_webhooks_unsent{',
    );
  });
});
