import type { Setting } from './setting.ts';
import { byProfile, flag, integer } from './setting-rows.ts';

/** Prefix of a webhook secret. */
const SECRET_PREFIX = 'whsec_';
// Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md: 24 to
// 64 random bytes
/** Length of the key in a secret. */
const SECRET_BYTES = { least: 24, most: 64 } as const;
/** Common members of the rows of both secrets. */
export const SECRET = {
  type: 'text',
  isSecret: true,
  default: undefined,
  pattern: `^${SECRET_PREFIX}[A-Za-z0-9+/]{32,86}={0,2}$`,
  expected: `${SECRET_PREFIX} and the base64 text of ${SECRET_BYTES.least} to ${SECRET_BYTES.most} random bytes`,
} as const;

/** Webhooks (spec/operations.md#webhooks). */
export const WEBHOOK_SETTINGS = [
  {
    type: 'text',
    key: 'webhooks.url',
    isMaskedAddress: true,
    default: undefined,
    pattern: '^https?://[^\\s#]{1,2000}$',
    expected: 'an http or https URL without fragment',
    sentence:
      'Address that events are sent to; not set: no events are recorded or sent. Only its origin is shown.',
  },
  {
    ...SECRET,
    key: 'webhooks.secret',
    sentence: 'Key that signs events, required with `webhooks.url`; the receiver has the same.',
  },
  {
    ...SECRET,
    key: 'webhooks.secretPrevious',
    sentence:
      'Former key: each event has a signature by both keys, so that the receiver can change to the new one in between.',
  },
  integer('webhooks.timeoutMs', 'ms', 10_000, [100, 60_000], 'Time in which the receiver must answer.'),
  flag(
    'webhooks.allowLocal',
    byProfile(true, false),
    'Allows a receiver at an address of this machine or its link: loopback, link-local or unspecified.',
  ),
  integer(
    'webhooks.refusalsPerMinute',
    'requests/min',
    0,
    [0, 1_000_000_000],
    'Refusals with one code in one minute and process that make an event, at most one for a code and hour; 0: no such event.',
  ),
] as const satisfies readonly Setting[];

/** Returns the key in a secret of webhooks; undefined if it is not base64 or too short or long. */
export function webhookKey(secret: string): Uint8Array | undefined {
  const text = secret.slice(SECRET_PREFIX.length);
  const key = Buffer.from(text, 'base64');
  const isKey = key.length >= SECRET_BYTES.least && key.length <= SECRET_BYTES.most;
  return isKey && key.toString('base64') === text ? key : undefined;
}
