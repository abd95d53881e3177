import type { Setting } from './setting.ts';

/** Key of the setting with the signing key of a relying party. */
export const SIGNING_KEY = 'rp.signingKey';

/** Settings of commands for relying parties. */
export const RP_SETTINGS = [
  {
    type: 'text',
    key: SIGNING_KEY,
    isSecret: true,
    default: undefined,
    pattern: '^(0x)?[0-9a-fA-F]{64}$',
    expected: '32 bytes in hex, with or without 0x',
    sentence:
      'Key with which `rp sign-request` signs World ID 4.0 requests of a relying party. The service does not use it: keep it out of its configuration.',
  },
] as const satisfies readonly Setting[];
