import type { Setting } from './setting.ts';
import { integer, newSecretFile, secretKey } from './setting-rows.ts';

/**
 * Keys that sign, and the keys that protect them (spec/sign-in.md#signing-keys and
 * spec/sign-in.md#client-secrets).
 */
export const KEY_SETTINGS: readonly Setting[] = [
  {
    ...secretKey(
      'keys.masterKey',
      'made up in development (production: must be set)',
      'Seals the private signing keys in the store.',
    ),
    requiredInProduction: newSecretFile('keys.masterKey'),
  },
  secretKey(
    'keys.masterKeyPrevious',
    'not set',
    'The former master key: opens what it sealed, which the start seals by `keys.masterKey`, and takes client secrets under it, which their next use hashes anew. `doctor` says when it can go.',
  ),
  secretKey(
    'apps.secretHmacKey',
    'derived from `keys.masterKey`',
    'Keys the HMAC under which client secrets are stored. Set for the first time it ends no secret; changed or removed it ends those under the former value unless `apps.secretHmacKeyPrevious` has it.',
  ),
  secretKey(
    'apps.secretHmacKeyPrevious',
    'not set',
    'The former `apps.secretHmacKey`: takes client secrets under it, which their next use hashes anew. `doctor` says when it can go.',
  ),
  {
    type: 'apps',
    key: 'apps.list',
    default: [],
    sentence:
      'Apps that the configuration gives, read-only elsewhere; `config schema` has their fields. An array of objects, in a variable as JSON.',
  },
  integer(
    'keys.rotationPeriodSeconds',
    's',
    2_592_000,
    [0, 315_360_000],
    'Age at which the active signing key is replaced by the next; 0 leaves that to `keys rotate`.',
  ),
  integer(
    'keys.publishLeadSeconds',
    's',
    86_400,
    [1, 31_536_000],
    'Time a key is published before it signs; above `keys.jwksMaxAgeSeconds` + `storage.cacheSeconds`.',
  ),
  integer(
    'keys.retireAfterSeconds',
    's',
    7200,
    [60, 31_536_000],
    'Time a retired key stays published; at least the longest token life + 300.',
  ),
  integer('keys.jwksMaxAgeSeconds', 's', 3600, [0, 2_592_000], 'Time in which others may cache the key set.'),
];
