import { DEVELOPMENT_TREES } from '../../../pages.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { PersonRow } from '../../../storage/development.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';
import { type DevelopmentParts, loadDevelopment, withDevelopment } from './development.ts';

/** `dev person list`: lists the persons of this data folder, the newest first. */
export const devPersonList: Command = {
  path: ['dev', 'person', 'list'],
  summary: 'list the persons of development, the newest first',
  run: async (_input, context) => {
    const loaded = await loadDevelopment(context);
    return await withDevelopment(context, loaded, async ({ store }) => {
      const rows = await store.development.listPersons();
      const persons = await Promise.all(rows.map((person) => shownPerson(person, store)));
      const table = textTable(persons, {
        person: 'person',
        trees: ({ trees }) => trees.join(' '),
        created_at: 'created_at',
        commitment: 'commitment',
      });
      await context.print({ persons }, table);
      return 0;
    });
  },
};

interface ShownPerson {
  readonly person: string;
  readonly trees: readonly string[];
  readonly created_at: string;
  readonly commitment: string;
}

async function shownPerson(
  { personId, commitment, createdAt }: PersonRow,
  { development }: DevelopmentParts['store'],
): Promise<ShownPerson> {
  const trees: string[] = [];
  for (const tree of DEVELOPMENT_TREES) {
    if ((await development.findLeaf(tree, commitment)) !== undefined) trees.push(tree);
  }
  return {
    person: personId,
    trees,
    created_at: isoTime(createdAt),
    commitment: toHex(commitment),
  };
}
