import type { KeyConfig } from '../../../src/apps/secrets/master-key.ts';

/** Makes settings whose master key has this byte 32 times. */
export function keyConfig(fill: number): KeyConfig {
  return {
    profile: 'production',
    dataDir: '/nowhere',
    keys: {
      masterKey: Buffer.alloc(32, fill).toString('base64url'),
      masterKeyPrevious: undefined,
      rotationPeriodSeconds: 1,
      publishLeadSeconds: 1,
      retireAfterSeconds: 1,
      jwksMaxAgeSeconds: 1,
    },
    apps: { secretHmacKey: undefined, secretHmacKeyPrevious: undefined, list: [] },
  };
}
