// Rules: spec/operations.md#webhooks
import { describe, expect, it } from 'vitest';
import { webhookKey } from '../../../src/config/settings/webhook-settings.ts';
import { faultsOf, load, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const URL = 'PROOFGATE_WEBHOOKS_URL';
const SECRET = 'PROOFGATE_WEBHOOKS_SECRET';
const PREVIOUS = 'PROOFGATE_WEBHOOKS_SECRET_PREVIOUS';
const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 250).toString('base64')}`;

describe('settings of webhooks', () => {
  it('are off by default', async () => {
    const { config } = await load();
    expect(config.webhooks).toMatchObject({ url: undefined, secret: undefined, refusalsPerMinute: 0 });
  });

  it.each([24, 32, 33, 64])('accept a key of %i bytes', async (bytes) => {
    const { config } = await load({ env: { [URL]: 'http://10.0.0.7/hook/?a=b', [SECRET]: secretOf(bytes) } });
    expect(webhookKey(config.webhooks.secret ?? '')).toEqual(Buffer.alloc(bytes, 250));
  });

  it('need a secret with an address', async () => {
    expect(await faultsOf({ env: { [URL]: 'https://a.example' } })).toEqual([
      `webhooks.secret (${SECRET}): required with webhooks.url, since every event is signed`,
    ]);
  });

  it.each([
    ['https://user:word@a.example/', 'expected no user name or password, got one'],
    ['http://a.example:25/', 'expected a port that may be called, got 25'],
    ['https://[::1/', 'expected an address that can be called, got another text'],
  ])('refuse the address %s', async (url, text) => {
    expect(await faultsOf({ env: { [URL]: url, [SECRET]: secretOf(32) } })).toEqual([
      `webhooks.url (${URL}): ${text}`,
    ]);
  });

  it.each([
    ['padded wrongly', `whsec_${'A'.repeat(32)}=`],
    ['not whole base64', `whsec_${'A'.repeat(33)}`],
  ])('refuse a key that is %s, without showing it', async (_fault, secret) => {
    for (const [name, key] of [
      [SECRET, 'webhooks.secret'],
      [PREVIOUS, 'webhooks.secretPrevious'],
    ] as const) {
      expect(await faultsOf({ env: { [name]: secret } })).toEqual([
        `${key} (${name}): expected whsec_ and the base64 text of 24 to 64 random bytes, got another text`,
      ]);
    }
  });

  it('name no key that is too long', () => {
    expect(webhookKey(secretOf(65))).toBeUndefined();
    expect(webhookKey(secretOf(23))).toBeUndefined();
  });
});
