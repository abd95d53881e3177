import { keyAges } from '../oidc/keys/index.ts';
import type { KeyUse } from '../storage/index.ts';
import type { Command, CommandInput } from './command.ts';
import { signingKeyJson, signingKeyTable } from './show-signing-key.ts';

/** Uses of a signing key, for the option that asks for one. */
export const KEY_USES: readonly KeyUse[] = ['signin', 'credential'];

/** The uses that were asked for; all where none was. */
export function usesOf(input: CommandInput): readonly KeyUse[] {
  const use = input.option('use');
  return KEY_USES.filter((known) => use === undefined || known === use);
}

/** `keys list`: published signing keys with their states and times. */
export const keysList: Command = {
  path: ['keys', 'list'],
  summary: 'list the signing keys: state, since when, and when it changes by itself',
  options: [{ flags: '--use <use>', description: 'only keys of this use', choices: KEY_USES }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async ({ signingKeys }) => {
      const now = context.now();
      const lists = await Promise.all(
        usesOf(input).map(async (use) => {
          const rows = await signingKeys.list(use, now);
          const ages = keyAges(rows, loaded.config.keys, now);
          return rows.flatMap((row, index) => {
            const age = ages[index];
            return age === undefined ? [] : [signingKeyJson(row, age, now)];
          });
        }),
      );
      const keys = lists.flat();
      const text =
        keys.length === 0 ? 'no keys: the service makes them at its first start' : signingKeyTable(keys);
      await context.print({ keys }, text);
      return 0;
    });
  },
};
