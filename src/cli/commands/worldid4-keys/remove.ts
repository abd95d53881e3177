import { removeKey } from '../../../membership/index.ts';
import type { Command } from '../../program/command.ts';
import { ISSUERS, type KeyGroup, keyInput, OPRF, ownerOptions } from './key-group.ts';

function removeCommand(group: KeyGroup, summary: string, question: string): Command {
  const { kind, word, noun } = group;
  return {
    path: [word, 'remove'],
    summary,
    details: 'Running servers see it within storage.cacheSeconds.',
    options: [...ownerOptions(group), { flags: '--yes', description: 'do not ask' }],
    run: async (input, context) => {
      const loaded = await context.loadConfig();
      return await context.withStore(loaded, async (store) => {
        await context.confirm(question);
        const owner = keyInput(group, input);
        const { sources } = loaded.config.roots;
        const now = context.now();
        const { environment, id } = await removeKey(kind, store.worldId4Keys, owner, now, sources);
        await context.print({ environment, [kind.idMember]: id }, `removed ${noun} ${id} of ${environment}`);
        return 0;
      });
    },
  };
}

/** `issuers remove`: removes the key of an issuer after confirmation. */
export const issuersRemove: Command = removeCommand(
  ISSUERS,
  'remove the key of an issuer: proofs of its credentials are refused',
  'Remove the key of the issuer? Proofs of its credentials are refused from now on.',
);

/** `oprf-keys remove`: removes the OPRF key of a relying party after confirmation. */
export const oprfKeysRemove: Command = removeCommand(
  OPRF,
  'remove the OPRF key of a relying party: its proofs are refused',
  'Remove the OPRF key? World ID 4.0 proofs for the relying party are refused from now on.',
);
