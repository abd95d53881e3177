// Rules: spec/operations.md#webhooks
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../../../src/webhooks/send.ts';
import { type Receiver, startReceiver } from '../../../webhooks/support/receiver.ts';
import { NOW, useCliFolder } from '../../support/cli.ts';

const APP_ID = 'app_369183bd38f1641b6964ab51d7a20434';
const KEY = Buffer.alloc(32, 3);

const folder = useCliFolder();
let receiver: Receiver;
let env: Record<string, string>;

beforeEach(async () => {
  receiver = await startReceiver();
  env = {
    PROOFGATE_WEBHOOKS_URL: receiver.url,
    PROOFGATE_WEBHOOKS_SECRET: `whsec_${KEY.toString('base64')}`,
  };
});

afterEach(async () => {
  await receiver.close();
});

describe('webhooks list and resend', () => {
  it('show the event of a change that a command made, and make it due', async () => {
    const now = Date.now();
    await folder.json(['apps', 'add', '--app-id', APP_ID, '--redirect-uri', 'https://a.example/cb'], { env });
    const { webhooks } = await folder.json<{
      webhooks: [{ id: string }];
    }>('webhooks list', { env, now });
    expect(webhooks).toMatchObject([
      {
        type: 'app.changed',
        state: 'pending',
        attempts: 0,
        last_error: null,
        body: { type: 'app.changed', data: { app_id: APP_ID, change: 'created' } },
      },
    ]);
    const [{ id }] = webhooks;
    expect(await folder.json(['webhooks', 'resend', id], { env, now })).toEqual({ resent: id });
    const { stdout } = await folder.run('webhooks list', { env, now });
    expect(stdout).toContain(id);
    const audit = await folder.json('audit list --action webhook.resent');
    expect(audit).toMatchObject({ audit: [{ target: id }] });
  });

  it('refuse an id that does not exist', async () => {
    await folder.fails('webhooks resend msg_none', 1, 'webhook.unknown', { env });
  });

  it('show nothing while webhooks are off', async () => {
    await folder.json(['apps', 'add', '--app-id', APP_ID, '--redirect-uri', 'https://a.example/cb']);
    expect(await folder.json('webhooks list', { now: Date.now() })).toEqual({ webhooks: [] });
  });
});

describe('webhooks test', () => {
  it('sends a signed event now and prints the status', async () => {
    const { id, status } = await folder.json('webhooks test', { env });
    expect(status).toBe(204);
    const [request] = receiver.received;
    expect(JSON.parse(request?.body ?? '')).toEqual({
      type: 'webhook.test',
      timestamp: new Date(NOW).toISOString(),
      data: {},
    });
    expect(request?.headers).toMatchObject(
      signatureHeaders({ id: String(id), body: request?.body ?? '' }, [KEY], NOW),
    );
  });

  it('fails with the reason when the receiver refuses', async () => {
    receiver.answer(401);
    await folder.fails('webhooks test', 69, 'the receiver answered 401', { env });
  });

  it('is refused while webhooks are off', async () => {
    await folder.fails('webhooks test', 78, 'webhook.off');
  });
});
