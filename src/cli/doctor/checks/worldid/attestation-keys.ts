import { resolve } from 'node:path';
import type { Config } from '../../../../config/settings/types.ts';
import { messageOf } from '../../../../text.ts';
import { loadKeySet } from '../../../../verification/integrity/attestation-keys.ts';
import { type CheckResult, fail, ok, warn } from '../../check.ts';
import { oneLine } from './roots-state.ts';

const NAME = 'attestation keys';

/**
 * Checks the sources of the keys for integrity bundles; no line if bundles are ignored. Makes no request to the address
 * of a key set.
 *
 * @param cwd - Base folder of relative paths.
 */
export async function checkAttestationKeys(
  { profile, verify }: Pick<Config, 'profile' | 'verify'>,
  cwd: string,
): Promise<CheckResult[]> {
  const { integrity, attestation } = verify.worldid4;
  if (integrity !== 'verify') return [];
  const found = await Promise.all(
    (['production', 'staging'] as const).map(async (environment) => {
      const setting = `verify.worldid4.attestation.${environment}`;
      const { jwksFile, jwksUrl, issuer } = attestation[environment];
      if (jwksFile !== undefined) {
        const file = { jwksFile: resolve(cwd, jwksFile), jwksUrl, issuer };
        return await checkFile(`${setting}.jwksFile`, file);
      }
      const { host } = new URL(jwksUrl);
      if (profile !== 'production' || environment !== 'production')
        return ok('', `${environment} from ${host}`);
      return warn(
        '',
        `${environment} from ${host}: without a way to it, each integrity bundle is refused`,
        `Save that key set to a file, name it in ${setting}.jwksFile, and replace it when the issuer changes its keys.`,
      );
    }),
  );
  return [oneLine(NAME, found)];
}

async function checkFile(setting: string, file: Parameters<typeof loadKeySet>[0]): Promise<CheckResult> {
  const cure = `Save the key set of the issuer to the file of ${setting}.`;
  try {
    const { size } = await loadKeySet(file);
    if (size === 0) return fail('', `${setting}: the file has no key for ES256`, cure);
    return ok('', `${setting}: ${size} key${size === 1 ? '' : 's'}`);
  } catch (error) {
    // The message of the parser quotes the text.
    const reason = error instanceof SyntaxError ? 'the file is not JSON' : messageOf(error);
    return fail('', `${setting}: ${reason}`, cure);
  }
}
