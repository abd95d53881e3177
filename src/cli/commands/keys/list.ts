import { credentialKeyJson, type ShownKey, signingKeyJson } from '../../../admin/forms/index.ts';
import type { LoadedConfig } from '../../../config/index.ts';
import { keyAges } from '../../../oidc/keys/rotation.ts';
import type { Store } from '../../../storage/index.ts';
import type { Command } from '../../program/command.ts';
import { KEY_USES, type ShownKeyUse, useOf } from './key-uses.ts';
import { signingKeyTable } from './show-signing-key.ts';

/** Reads the keys of one use in the form in which they are shown. */
type ReadKeys = (store: Store, config: LoadedConfig['config'], now: number) => Promise<ShownKey[]>;

const READ: Readonly<Record<ShownKeyUse, ReadKeys>> = {
  async signin({ signingKeys }, { keys }, now) {
    const rows = await signingKeys.list('signin', now);
    const ages = keyAges(rows, keys, now);
    return rows.flatMap((row, index) => {
      const age = ages[index];
      return age === undefined ? [] : [signingKeyJson(row, age, now)];
    });
  },
  credential: async ({ issuerKeys }) => (await issuerKeys.listAll()).map(credentialKeyJson),
};

/** `keys list`: lists signing keys of both uses with their states and times. */
export const keysList: Command = {
  path: ['keys', 'list'],
  summary: 'list the signing keys: state, since when, and when it changes by itself',
  details: 'A credential key changes only by command, and stays listed when it is retired or revoked.',
  options: [{ flags: '--use <use>', description: 'only keys of this use', choices: KEY_USES }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async (store) => {
      const requested = useOf(input);
      const uses = KEY_USES.filter((use) => requested === undefined || use === requested);
      const now = context.now();
      const lists = await Promise.all(uses.map((use) => READ[use](store, loaded.config, now)));
      const keys = lists.flat();
      const text =
        keys.length === 0 ? 'no keys: the service makes them at its first start' : signingKeyTable(keys);
      await context.print({ keys }, text);
      return 0;
    });
  },
};
