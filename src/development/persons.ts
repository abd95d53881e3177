import { createHash } from 'node:crypto';
import { ServiceError } from '../errors/service-error.ts';
import { DEVELOPMENT_TREES, type DevelopmentTree } from '../pages.ts';
import type { Poseidon } from '../semaphore/hashes.ts';
import { commitmentOf, type Identity, identityFromSecret, randomIdentity } from '../semaphore/identity.ts';
import type { InclusionProof } from '../semaphore/merkle-tree.ts';
import type { PersonRow } from '../storage/development.ts';
import type { Store } from '../storage/store.ts';
import type { DevelopmentTrees, EnrolledLeaf } from './trees.ts';

/** 48 bits are enough for a few persons, and a short id is easier to type. */
const ID_DIGITS = 12;

/** A person who is in a tree, with the inclusion proof. */
export interface Member {
  readonly person: PersonRow;
  readonly tree: DevelopmentTree;
  readonly inclusion: InclusionProof;
}

/** Dependencies for creating and finding persons. */
export interface PersonParts {
  readonly store: Pick<Store, 'development'>;
  readonly trees: DevelopmentTrees;
  readonly poseidon: Poseidon;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Creates a person and adds the commitment to a tree. The same secret yields the same person, who may be in both trees.
 * The store contains the secrets in plain form: anyone with access to it can prove as this person.
 *
 * @param secret - If absent, the identity is random.
 * @throws ServiceError `development.tree_full`, `store.unreachable`
 */
export async function createPerson(
  { secret, tree }: { readonly secret?: string; readonly tree: DevelopmentTree },
  { store, trees, poseidon, now }: PersonParts,
): Promise<{ readonly person: PersonRow; readonly leaf: EnrolledLeaf }> {
  const identity = secret === undefined ? randomIdentity() : identityFromSecret(secret);
  const person = await personOf(identity, poseidon, now());
  await store.development.putPerson(person);
  return { person, leaf: await trees.enroll(tree, person.commitment) };
}

/**
 * Looks up a person with the inclusion proof in a tree.
 *
 * @param personId - If absent, the person created last.
 * @param tree - If absent, the first tree that the person is in, orb before device.
 * @throws ServiceError `development.no_person`
 */
export async function findMember(
  { personId, tree }: { readonly personId?: string; readonly tree?: DevelopmentTree },
  { store, trees }: Pick<PersonParts, 'store' | 'trees'>,
): Promise<Member> {
  const { development } = store;
  const person =
    personId === undefined
      ? (await development.listPersons())[0]
      : await development.findPerson(personId.toLowerCase());
  if (person === undefined) {
    const who = personId === undefined ? 'there is no person yet' : 'no person has this id';
    throw new ServiceError('development.no_person', `${who}: make one with \`proofgate dev person create\``);
  }
  for (const candidate of tree === undefined ? DEVELOPMENT_TREES : [tree]) {
    const inclusion = await trees.inclusionProof(candidate, person.commitment);
    if (inclusion !== undefined) return { person, tree: candidate, inclusion };
  }
  throw new ServiceError(
    'development.no_person',
    `person ${person.personId} is not in the tree ${tree ?? 'orb or device'}: ` +
      `\`proofgate dev person create --tree ${tree ?? 'orb'}\` puts one there, with --secret an existing one`,
  );
}

/** Returns the identity of a person. */
export function identityOf({ trapdoor, nullifier }: PersonRow): Identity {
  return { trapdoor, nullifier };
}

async function personOf(identity: Identity, poseidon: Poseidon, createdAt: number): Promise<PersonRow> {
  const commitment = await commitmentOf(identity, poseidon);
  const personId = createHash('sha256').update(commitment).digest('hex').slice(0, ID_DIGITS);
  return { personId, ...identity, commitment, createdAt };
}
