import { createPerson, findMember, type Member, type PersonParts } from '../../../development/persons.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { DEVELOPMENT_TREES, type DevelopmentTree } from '../../../pages.ts';
import type { PersonRow } from '../../../storage/development.ts';
import type { CommandInput } from '../../program/command.ts';
import { filledOption, treeOption } from './development.ts';

/** Options that select the person who signs in. */
export interface PersonInput {
  /** Derives the person; equal secrets yield the same person. */
  readonly secret: string | undefined;
  /** Selects an existing person. */
  readonly personId: string | undefined;
  readonly tree: DevelopmentTree | undefined;
}

/**
 * Reads the options `--secret`, `--person` and `--tree`.
 *
 * @throws ServiceError `cli.usage` when both `--secret` and `--person` are given
 */
export function readPersonInput(input: CommandInput): PersonInput {
  const secret = filledOption(input, 'secret');
  const personId = filledOption(input, 'person');
  if (secret !== undefined && personId !== undefined) {
    throw new ServiceError('cli.usage', '--secret and --person name two persons: pass one of them');
  }
  return { secret, personId, tree: treeOption(input) };
}

/**
 * Returns the person who signs in, enrolled in a tree: the person of the secret or of the id, else the one
 * created last, else a new one. The tree is the requested one, else the one that the person is in, else orb.
 *
 * @throws ServiceError `development.no_person` when no person has the id.
 */
export async function choosePerson(
  { secret, personId, tree }: PersonInput,
  parts: PersonParts,
): Promise<Member> {
  const known = secret === undefined ? await knownPerson(personId, parts) : undefined;
  if (known === undefined) {
    const { person } = await createPerson(
      { tree: tree ?? 'orb', ...(secret === undefined ? {} : { secret }) },
      parts,
    );
    return await findMember({ personId: person.personId, tree: tree ?? 'orb' }, parts);
  }
  const chosen = tree ?? (await treeOf(known, parts)) ?? 'orb';
  // If the person is in the tree, this only makes its root current again after another one was imported.
  await parts.trees.enroll(chosen, known.commitment);
  return await findMember({ personId: known.personId, tree: chosen }, parts);
}

async function knownPerson(personId: string | undefined, parts: PersonParts): Promise<PersonRow | undefined> {
  const { development } = parts.store;
  if (personId === undefined) return (await development.listPersons())[0];
  // findMember throws the same error as in other commands if there is none
  return (
    (await development.findPerson(personId.toLowerCase())) ?? (await findMember({ personId }, parts)).person
  );
}

async function treeOf(
  { commitment }: PersonRow,
  { trees }: PersonParts,
): Promise<DevelopmentTree | undefined> {
  for (const tree of DEVELOPMENT_TREES) {
    if ((await trees.inclusionProof(tree, commitment)) !== undefined) return tree;
  }
  return undefined;
}
