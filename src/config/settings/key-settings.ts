import type { Setting } from './setting.ts';
import { integer, newSecretFile, secretKey } from './setting-rows.ts';

/**
 * Keys that sign, and the keys that protect them (spec/sign-in.md#signing-keys and
 * spec/sign-in.md#client-secrets).
 */
export const KEY_SETTINGS = [
  {
    ...secretKey(
      'keys.masterKey',
      'generated in development (production: must be set)',
      'Seals the private signing keys in the store.',
    ),
    requiredInProduction: newSecretFile('keys.masterKey'),
  },
  secretKey(
    'keys.masterKeyPrevious',
    'not set',
    'The former master key. The service opens what it sealed and seals it again under `keys.masterKey` at start; client secrets hashed under it are accepted, and rehashed at their next use. `doctor` says when it can be removed.',
  ),
  secretKey(
    'apps.secretHmacKey',
    'derived from `keys.masterKey`',
    'Key of the HMAC under which client secrets are stored. Setting it for the first time invalidates no secret; changing or removing it invalidates the secrets under the former value, unless `apps.secretHmacKeyPrevious` has that value.',
  ),
  secretKey(
    'apps.secretHmacKeyPrevious',
    'not set',
    'The former `apps.secretHmacKey`: client secrets hashed under it are accepted, and rehashed at their next use. `doctor` says when it can be removed.',
  ),
  {
    type: 'apps',
    key: 'apps.list',
    default: [],
    sentence:
      'Apps that the configuration defines, read-only elsewhere; `config schema` lists their fields. An array of objects; in a variable, as JSON.',
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
    {
      text: '`7200`, or `signin.sessionSeconds` if longer',
      compute: (input) => Math.max(7200, Number(input.value('signin.sessionSeconds'))),
    },
    [60, 31_536_000],
    'Time a retired key stays published; at least the longest token lifetime + 300, and `signin.sessionSeconds`, since apps send ID tokens back as hints.',
  ),
  integer(
    'keys.jwksMaxAgeSeconds',
    's',
    3600,
    [0, 2_592_000],
    'Time for which clients may cache the key set.',
  ),
] as const satisfies readonly Setting[];
