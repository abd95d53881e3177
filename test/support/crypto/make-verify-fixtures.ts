/**
 * Regenerates test/vectors/verify with the circuit that `proofgate circuits setup` built in the repository:
 * `node --import tsx test/support/crypto/make-verify-fixtures.ts`; afterwards, run
 * test/development/fixtures.test.ts. The statements are the same every time; the proofs are not, because they
 * are randomized.
 */
import { writeFileSync } from 'node:fs';
import { holderStatement, proveMembership, refreshHeader } from '../../../src/development/prove.ts';
import { externalNullifier, hashSignal, rpIdOf } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { commitmentOf, type Identity, identityFromSecret } from '../../../src/semaphore/identity.ts';
import {
  emptyNodes,
  type InclusionProof,
  pathBit,
  pathNodes,
  TREE_DEPTH,
} from '../../../src/semaphore/merkle-tree.ts';
import type { MembershipStatement } from '../../../src/semaphore/snarkjs-forms.ts';
import { numberOf, wordOf } from '../../../src/semaphore/words.ts';
import { compress } from './curve-reference.ts';
import { developmentCircuit } from './development-circuit.ts';
import { referencePoseidon } from './reference-tree.ts';

const FIRST_APP = 'app_369183bd38f1641b6964ab51d7a20434';
const SECOND_APP = 'app_staging_45068dca85829d2fd90e2dd6f0bff997';

interface Plan {
  readonly name: string;
  readonly tree: 'orb' | 'device';
  /** Secrets of the persons in the tree, by index; the tree has no other leaf. */
  readonly leaves: readonly string[];
  readonly secret: string;
  readonly app_id: string;
  readonly action: string;
  /** If absent, the request has no signal. */
  readonly signal?: string;
  readonly isCompressed?: true;
}

const ALICE = 'proofgate';
const BOB = 'proofgate fixture bob';

const PLANS: readonly Plan[] = [
  {
    name: 'first',
    tree: 'orb',
    leaves: [ALICE],
    secret: ALICE,
    app_id: FIRST_APP,
    action: 'test-action',
    signal: 'hello',
  },
  {
    name: 'same person and action, later root',
    tree: 'orb',
    leaves: [ALICE, BOB],
    secret: ALICE,
    app_id: FIRST_APP,
    action: 'test-action',
    signal: 'hello again',
  },
  {
    name: 'another person',
    tree: 'orb',
    leaves: [ALICE, BOB],
    secret: BOB,
    app_id: FIRST_APP,
    action: 'test-action',
    signal: '0x68656c6c6f',
  },
  {
    name: 'default signal, another app',
    tree: 'orb',
    leaves: [ALICE, BOB],
    secret: ALICE,
    app_id: SECOND_APP,
    action: 'vote',
  },
  {
    name: 'compressed',
    tree: 'orb',
    leaves: [ALICE, BOB],
    secret: BOB,
    app_id: SECOND_APP,
    action: 'vote',
    signal: 'yes',
    isCompressed: true,
  },
  {
    name: 'device',
    tree: 'device',
    leaves: [BOB, ALICE],
    secret: ALICE,
    app_id: FIRST_APP,
    action: 'device-action',
    signal: 'ünï ☃',
  },
];

if (developmentCircuit === undefined) throw new Error('run `proofgate circuits setup` first');
const files = developmentCircuit;
const poseidon = await referencePoseidon();

async function inclusionOf(leaves: readonly string[], secret: string): Promise<InclusionProof> {
  const empty = await emptyNodes(poseidon);
  let row = await Promise.all(leaves.map((one) => commitmentOf(identityFromSecret(one), poseidon)));
  const index = leaves.indexOf(secret);
  const leaf = row[index] as Uint8Array;
  const siblings: Uint8Array[] = [];
  for (let level = 0; level < TREE_DEPTH; level++) {
    const at = Math.floor(index / 2 ** level);
    const node = (position: number): Uint8Array => row[position] ?? (empty[level] as Uint8Array);
    siblings.push(node(at % 2 === 0 ? at + 1 : at - 1));
    const next: Uint8Array[] = [];
    for (let i = 0; i < row.length; i += 2) next.push(await poseidon(Buffer.concat([node(i), node(i + 1)])));
    row = next;
  }
  const root = (await pathNodes(leaf, index, siblings, poseidon)).at(-1) as Uint8Array;
  return { root, index, siblings, pathIndices: siblings.map((_, level) => pathBit(index, level)) };
}

/** Compressed proof, padded with zero words 4 to 7 to 256 bytes. */
function compressed(proof: Uint8Array): Uint8Array {
  const words = Array.from({ length: 8 }, (_, i) => numberOf(proof.subarray(32 * i, 32 * i + 32)));
  return Buffer.concat([...compress(words), 0n, 0n, 0n, 0n].map(wordOf));
}

async function prove(statement: MembershipStatement): Promise<{ proof: Uint8Array; inputs: string[] }> {
  const { proof, inputs } = await proveMembership(statement, files);
  const words = [0, 1, 2, 3].map((i) => toHex(inputs.subarray(32 * i, 32 * i + 32)));
  return { proof, inputs: words };
}

const proofs: unknown[] = [];
for (const { isCompressed, signal, ...plan } of PLANS) {
  const { proof, inputs } = await prove({
    identity: identityFromSecret(plan.secret),
    inclusion: await inclusionOf(plan.leaves, plan.secret),
    signalHash: hashSignal(signal ?? ''),
    externalNullifier: externalNullifier(plan.app_id, plan.action),
  });
  const [merkle_root, nullifier_hash, signal_hash, external_nullifier_hash] = inputs;
  proofs.push({
    ...plan,
    rp_id: rpIdOf(plan.app_id),
    ...(signal === undefined ? {} : { signal }),
    merkle_root,
    nullifier_hash,
    signal_hash,
    external_nullifier_hash,
    proof: toHex(isCompressed ? compressed(proof) : proof),
  });
}
const identity: Identity = identityFromSecret(ALICE);
const sub = wordOf(0x1a2b3cn);
const holder = await holderStatement(identity, sub, { text: 'proofgate-refresh' }, poseidon);
const refreshProof = await proveMembership(holder, files);
const header = {
  secret: ALICE,
  sub: toHex(sub),
  id_comm: toHex(holder.idCommitment),
  public_inputs: [0, 1, 2, 3].map((i) => toHex(refreshProof.inputs.subarray(32 * i, 32 * i + 32))),
  header: refreshHeader(holder, refreshProof),
};

const folder = new URL('../../vectors/verify/', import.meta.url);
const write = (name: string, value: unknown): void =>
  writeFileSync(new URL(name, folder), `${JSON.stringify(value, null, 1)}\n`);
write('proofs.json', proofs);
write('refresh-header.json', header);
