import { addKey, keyLine, parseKey } from '../../../membership/index.ts';
import type { Command } from '../../program/command.ts';
import { ISSUERS, type KeyGroup, keyInput, OPRF, ownerOptions } from './key-group.ts';

function addCommand(group: KeyGroup, summary: string): Command {
  const { kind, word } = group;
  const coordinate = '0x and hex digits, or decimal';
  return {
    path: [word, 'add'],
    summary,
    details:
      'Replaces the key that is there. The point is checked: whoever can sign under a key makes people up. Works while the server runs, which sees a new key immediately and a replaced one within storage.cacheSeconds.',
    options: [
      ...ownerOptions(group),
      { flags: '--x <number>', description: coordinate, isRequired: true },
      { flags: '--y <number>', description: coordinate, isRequired: true },
    ],
    run: async (input, context) => {
      const loaded = await context.loadConfig();
      const { sources } = loaded.config.roots;
      const key = parseKey(kind, keyInput(group, input), context.now(), sources);
      return await context.withStore(loaded, async (store) => {
        await addKey(kind, store.worldId4Keys, key);
        const line = keyLine(kind, key);
        await context.print(JSON.parse(line), line);
        return 0;
      });
    },
  };
}

/** `issuers add`: adds or replaces the key of an issuer. */
export const issuersAdd: Command = addCommand(ISSUERS, 'add the key of a World ID 4.0 credential issuer');

/** `oprf-keys add`: adds or replaces the OPRF key of a relying party. */
export const oprfKeysAdd: Command = addCommand(OPRF, 'add the World ID 4.0 OPRF key of a relying party');
