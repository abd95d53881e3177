import { blockedPortOf } from '../../addresses.ts';
import { type CombinedFault, combinedFault } from '../sources/faults.ts';
import type { Config } from './types.ts';
import { SECRET, SECRET_BYTES, SECRET_PREFIX } from './webhook-settings.ts';

/** Returns the key in a secret of webhooks; undefined if it is not base64 or too short or long. */
export function webhookKey(secret: string): Uint8Array | undefined {
  const text = secret.slice(SECRET_PREFIX.length);
  const key = Buffer.from(text, 'base64');
  const isKey = key.length >= SECRET_BYTES.least && key.length <= SECRET_BYTES.most;
  return isKey && key.toString('base64') === text ? key : undefined;
}

/** Returns faults of webhook settings that are valid individually but conflict. */
export function webhookFaults({ webhooks }: Config): CombinedFault[] {
  const faults: CombinedFault[] = [];
  for (const key of ['secret', 'secretPrevious'] as const) {
    const secret = webhooks[key];
    if (secret !== undefined && webhookKey(secret) === undefined) {
      faults.push(combinedFault(`webhooks.${key}`, `expected ${SECRET.expected}, got another text`));
    }
  }
  const { url, secret } = webhooks;
  if (url === undefined) return faults;
  const urlFault = addressFault(url);
  if (urlFault !== undefined) faults.push(combinedFault('webhooks.url', urlFault));
  if (secret === undefined) {
    faults.push(
      combinedFault('webhooks.secret', 'required with webhooks.url, since every event is signed', [
        'webhooks.url',
      ]),
    );
  }
  return faults;
}

function addressFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'expected an address that can be called, got another text';
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') return 'expected no user name or password, got one';
  const port = blockedPortOf(url);
  return port === undefined ? undefined : `expected a port that may be called, got ${port}`;
}
