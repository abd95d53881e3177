/** Mutations of the complete request of the vectors, each determined by a seed and a number. */
import { createHash } from 'node:crypto';
import type { FormFields } from './client.ts';
import { type CustodyPackage, makePackage } from './custody-package.ts';
import { BODY_MUTATIONS } from './mutations/body.ts';
import { PART_MUTATIONS } from './mutations/form-parts.ts';
import { FRAMING_MUTATIONS } from './mutations/framing.ts';
import { HEAD_MUTATIONS } from './mutations/head.ts';
import { MANIFEST_MUTATIONS } from './mutations/manifest.ts';
import { FRAMING_ENDS, LISTED, type Mutation, type Outcome } from './mutations/mutation.ts';
import { PROOF_MUTATIONS } from './mutations/proof.ts';
import { PROOF_MEMBER_MUTATIONS } from './mutations/proof-members.ts';
import { QUERY_MUTATIONS } from './mutations/query.ts';
import {
  type Draw,
  formPart,
  type JsonMember,
  PLAIN,
  pick,
  type RequestParts,
  shuffled,
  writeRequest,
} from './mutations/request-parts.ts';
import { SIGNATURE_MUTATIONS } from './mutations/signature.ts';
import { REFRESH_VECTORS, vectorCall } from './vectors.ts';

/** A mutated request with its allowed answers. */
export interface MutatedRequest {
  /** Name of the base request, followed by the names of the mutations. */
  readonly name: string;
  /** Bytes of the request, in the pieces in which they are sent. */
  readonly pieces: readonly Uint8Array[];
  readonly outcomes: ReadonlySet<Outcome>;
  /** Manifest that a credential would be based on; undefined without a package. */
  readonly manifest: Uint8Array | undefined;
  /** Whether every mutation preserves the meaning. */
  readonly isSame: boolean;
}

/** Mutations by layer; two of one layer are not combined, because one may undo the other. */
const FAMILIES: Readonly<Record<string, readonly (readonly Mutation[])[]>> = {
  head: [HEAD_MUTATIONS],
  query: [QUERY_MUTATIONS],
  package: [PART_MUTATIONS, MANIFEST_MUTATIONS, SIGNATURE_MUTATIONS],
  body: [BODY_MUTATIONS],
  proof: [PROOF_MUTATIONS, PROOF_MEMBER_MUTATIONS],
  framing: [FRAMING_MUTATIONS],
};
/** All mutations, which are first sent alone. */
const MUTATIONS: readonly Mutation[] = Object.values(FAMILIES).flat(2);
/** Layers of a request without a package. */
const BARE_FAMILIES = ['head', 'query', 'body', 'proof', 'framing'];

/** Number of 32-bit words in a SHA-512 hash. */
const WORDS_PER_BLOCK = 16;

const members = Object.entries(
  JSON.parse(Buffer.from(REFRESH_VECTORS.x_zkp_proof_header.base64, 'base64').toString()),
);
const PROOF: readonly JsonMember[] = members.map(([name, value]) => [
  JSON.stringify(name),
  JSON.stringify(value),
]);
const { signup_id: signupId = '', orb_id: orbId = '' } = REFRESH_VECTORS.package.form_fields;
/** A package with share texts of 200 KB. */
const LARGE: CustodyPackage = makePackage({
  seed: 'large',
  shareBytes: 200_000,
  values: { signup_id: signupId, orb_id: orbId },
});
const { query, fields } = vectorCall();
const base = (parts: FormFields): RequestParts => ({
  ...PLAIN,
  query,
  members: PROOF,
  parts: Object.entries(parts).map(([name, value]) => formPart(name, value)),
});
const { sub = '' } = fields;
const BASES = {
  vector: base(fields),
  large: base({ sub, ...LARGE.fields }),
  bare: base({ sub }),
} as const;

/** The complete request of the vectors, unchanged. */
export const VALID_REQUEST: MutatedRequest = finish('vector', BASES.vector, [], LISTED.slice(0, 1));

/**
 * Makes the request of a number, deterministically for a seed. The first numbers have one mutation each, the
 * others combine a few.
 */
export function mutateRefresh(seed: string, index: number): MutatedRequest {
  const draw = drawer(`${seed}:${index}`);
  const single = MUTATIONS[index];
  if (single !== undefined) return combine('vector', [single], draw);
  const kind = draw(100);
  const name = kind < 80 ? 'vector' : kind < 88 ? 'large' : 'bare';
  const families = shuffled(name === 'bare' ? BARE_FAMILIES : Object.keys(FAMILIES), draw);
  const rows = (family = ''): readonly Mutation[] => pick(FAMILIES[family] ?? [], draw);
  const shape = draw(100);
  const keeping = (count: number): Mutation[] => distinctSame(families, count, draw);
  if (shape < 12) return combine(name, keeping(1 + draw(3)), draw);
  const main = pick(rows(families[0]), draw);
  if (main.isAlone) return combine(name, [main], draw);
  if (shape < 75) return combine(name, [...keeping(draw(3)).filter((other) => other !== main), main], draw);
  const second = pick(rows(families[1]), draw);
  return combine(name, second.isAlone ? [main] : [main, second], draw);
}

function combine(name: keyof typeof BASES, mutations: readonly Mutation[], draw: Draw): MutatedRequest {
  const changing = mutations.filter((mutation) => !isSame(mutation));
  // applied last, so that nothing overwrites them
  const ordered = [...mutations.filter(isSame), ...changing];
  const request = ordered.reduce((changed, { apply }) => apply(changed, draw), BASES[name]);
  const [first, second] = changing;
  if (first === undefined) return finish(name, request, ordered, ['200']);
  if (second === undefined) return finish(name, request, ordered, first.outcomes);
  // other tests cover the order of refusals, and one mutation may remove the effect of the other
  const outcomes = changing.flatMap((mutation) => mutation.outcomes);
  const ends = outcomes.some(isFramingEnd) ? FRAMING_ENDS : [];
  return finish(name, request, ordered, [...LISTED, ...outcomes, ...ends]);
}

function finish(
  name: string,
  request: RequestParts,
  mutations: readonly Mutation[],
  outcomes: readonly Outcome[],
): MutatedRequest {
  return {
    name: [name, ...mutations.map((mutation) => mutation.name)].join(' + '),
    pieces: writeRequest(request),
    outcomes: new Set(outcomes),
    manifest: request.parts.find((part) => part.name === 'hashes.json')?.value,
    isSame: mutations.every(isSame),
  };
}

/** Distinct mutations that preserve the meaning. */
function distinctSame(families: readonly string[], count: number, draw: Draw): Mutation[] {
  const rows = families.flatMap((family) => FAMILIES[family] ?? []).flat();
  return shuffled(
    rows.filter((mutation) => isSame(mutation) && !mutation.isAlone),
    draw,
  ).slice(0, count);
}

function isSame({ outcomes }: Mutation): boolean {
  return outcomes.length === 1 && outcomes[0] === '200';
}

function isFramingEnd(outcome: Outcome): boolean {
  return (FRAMING_ENDS as readonly Outcome[]).includes(outcome);
}

/** Pseudorandom integers that depend only on the seed. */
function drawer(seed: string): Draw {
  let counter = 0;
  let block: Buffer = Buffer.alloc(0);
  return (below) => {
    const offset = (counter % WORDS_PER_BLOCK) * 4;
    if (offset === 0) block = createHash('sha512').update(`${seed}:${counter}`).digest();
    counter++;
    return block.readUInt32BE(offset) % below;
  };
}
