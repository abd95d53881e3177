import { createPerson } from '../../../development/index.ts';
import { DEVELOPMENT_TREES } from '../../../pages.ts';
import { toHex } from '../../../semaphore/index.ts';
import type { Command } from '../../program/command.ts';
import { filledOption, loadDevelopment, treeOption, withDevelopment } from './development.ts';

/** `dev person create`: makes a person and puts the commitment into a development tree. */
export const devPersonCreate: Command = {
  path: ['dev', 'person', 'create'],
  summary: 'make a person who can prove, and put the commitment into a tree of staging',
  details: `An equal secret gives the same person, so that a second call with another tree puts the person into both.
The store keeps what a person proves with as it is: whoever reads the data folder can prove as this person.`,
  options: [
    { flags: '--secret <text>', description: 'makes the identity; a random one where absent' },
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
