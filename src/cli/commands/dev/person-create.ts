import { createPerson } from '../../../development/persons.ts';
import { DEVELOPMENT_TREES } from '../../../pages.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { Command } from '../../program/command.ts';
import { filledOption, loadDevelopment, treeOption, withDevelopment } from './development.ts';

/** `dev person create`: creates a person and adds the commitment to a development tree. */
export const devPersonCreate: Command = {
  path: ['dev', 'person', 'create'],
  summary: 'create a person who can make proofs, and add the commitment to a staging tree',
  details: `Equal secrets yield the same person, so a second call with another tree adds the person to both.
The store keeps the identity unencrypted: anyone who can read the data folder can make proofs as this person.`,
  options: [
    { flags: '--secret <text>', description: 'derives the identity; random if absent' },
    { flags: '--tree <tree>', description: 'orb (default) or device', choices: DEVELOPMENT_TREES },
  ],
  run: async (input, context) => {
    const loaded = await loadDevelopment(context);
    const secret = filledOption(input, 'secret');
    const request = {
      tree: treeOption(input) ?? 'orb',
      ...(secret === undefined ? {} : { secret }),
    };
    return await withDevelopment(context, loaded, async (parts) => {
      const { person, leaf } = await createPerson(request, parts);
      const shown = {
        person: person.personId,
        commitment: toHex(person.commitment),
        tree: leaf.tree,
        index: leaf.index,
        root: toHex(leaf.root),
      };
      const lines = Object.entries(shown).map(([member, value]) => `${member.padEnd(10)}  ${value}`);
      await context.print(shown, lines.join('\n'));
      return 0;
    });
  },
};
