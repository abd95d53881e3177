import type { Setting } from './setting.ts';
import { byProfile, flag, integer } from './setting-rows.ts';

/** Credential refresh (spec/refresh.md#settings). */
export const REFRESH_SETTINGS = [
  flag(
    'refresh.enabled',
    true,
    'Issues credentials; if off, the interface answers 503, as after `proofgate refresh disable`.',
  ),
  {
    type: 'text',
    key: 'refresh.verificationKey',
    default: byProfile('dev-depth30', 'semaphore-depth30'),
    pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
    expected: 'a key id: 1 to 64 of a-z, 0-9, ".", "_" and "-", letter or digit first',
    sentence: 'Id of the verifying key of holder proofs.',
  },
  {
    type: 'text',
    key: 'refresh.externalNullifier',
    default: 'proofgate-refresh',
    pattern: '^(?!0x)[\\x20-\\x7e]{1,64}$',
    expected: '1 to 64 printable ASCII characters that do not begin with 0x',
    sentence: 'Text whose hash is the external nullifier of holder proofs; wallets must use the same.',
  },
  flag(
    'refresh.challengeRequired',
    false,
    'Requires a proof over a challenge from `GET /api/v1/challenge`, so that no proof header works twice.',
  ),
  integer('refresh.challengeTtlSeconds', 's', 300, [30, 3600], 'Lifetime of a challenge.'),
  {
    type: 'list',
    key: 'refresh.pcpVersions',
    default: ['2.3'],
    maxItems: 32,
    pattern: '^[\\x21-\\x7e]{1,16}$',
    expected: 'versions such as 2.3, separated by commas',
    sentence: 'Accepted versions of the custody package.',
  },
  {
    type: 'list',
    key: 'refresh.pcpSignupReasons',
    default: ['NORMAL'],
    maxItems: 8,
    pattern: '^[A-Z_]{1,32}$',
    expected: 'reasons such as NORMAL, separated by commas',
    sentence: 'Accepted signup reasons of the custody package.',
  },
  integer(
    'refresh.bodyLimitBytes',
    'bytes',
    1_048_576,
    [65_536, 16_777_216],
    'Largest body of a refresh; at most `http.bodyLimitBytes`.',
  ),
  flag(
    'refresh.keepEncryptedUserId',
    true,
    'Keeps `encrypted_user_id` with the issued record, for rewards of operators.',
  ),
  {
    type: 'text',
    key: 'refresh.issuerSchemaId',
    default: '1',
    pattern: '^(0|[1-9][0-9]{0,19})$',
    expected: 'a whole number from 0 to 18446744073709551615',
    sentence: 'Issuer schema id that credentials carry; 1 is the proof-of-human schema.',
  },
  {
    type: 'text',
    key: 'refresh.validity',
    default: 'P3Y',
    pattern: '^(P[1-9][0-9]{0,9}[YMD]|PT[1-9][0-9]{0,9}S)$',
    expected: 'P<n>Y, P<n>M, P<n>D or PT<n>S, from 1 minute to 10 years',
    sentence: 'Time from the issuance of a credential to its expiry, by the calendar in UTC.',
  },
  {
    type: 'text',
    key: 'refresh.signingSeed',
    isSecret: true,
    default: {
      text: 'not set: the active credential key of the store signs',
      compute: () => undefined,
    },
    pattern: '^[0-9a-fA-F]{64}$',
    expected: '64 hex digits',
    sentence: 'Seed of the EdDSA key that signs credentials.',
  },
] as const satisfies readonly Setting[];
