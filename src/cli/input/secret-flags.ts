import { SETTINGS } from '../../config/settings/schema.ts';
import type { Setting } from '../../config/settings/setting.ts';
import { throwFaults } from '../../config/sources/faults.ts';
import { secretFlagFault } from '../../config/sources/read-sources.ts';

/** Matches an option with or without `=value`; captures only the name. */
const OPTION = /^--?([A-Za-z][\w.-]*)(?:=|$)/;

/** Normalizes a name: `admin.token`, `admin-token` and `adminToken` become equal. */
function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

const SECRETS: ReadonlyMap<string, Setting> = new Map(
  SETTINGS.filter((setting) => setting.isSecret).flatMap((setting) => {
    const name = normalized(setting.key);
    return [name, `${name}file`, `proofgate${name}`, `proofgate${name}file`].map((each) => [each, setting]);
  }),
);

/**
 * Refuses a command line with a secret setting, in any spelling of its name (also as its environment variable): other
 * users of the machine can read it while the process runs.
 *
 * @throws ServiceError `config.invalid`; the message contains the variables for the secrets and no value
 */
export function refuseSecretFlags(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  throwFaults(
    options.flatMap((word) => {
      const name = OPTION.exec(word)?.[1];
      const setting = name === undefined ? undefined : SECRETS.get(normalized(name));
      return name === undefined || setting === undefined ? [] : [secretFlagFault(`--${name}`, setting)];
    }),
  );
}
