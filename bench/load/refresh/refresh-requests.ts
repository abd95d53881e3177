import { hashToField, pair } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { emptyNodes, TREE_DEPTH } from '../../../src/semaphore/merkle-tree.ts';
import { be32, R } from '../../../test/support/crypto/bn254.ts';
import { trapdoorScalar } from '../../../test/support/crypto/trapdoor.ts';
import { loadBuilds } from '../../contenders/builds.ts';
import { proofMaker } from '../../support/proof-stream.ts';
import { type BenchHolder, benchHolder, benchPackage } from './refresh-holders.ts';

/** Whether requests carry a custody package. */
export type RefreshKind = 'with' | 'without';

/** Parts of a form, in order. */
export type FormParts = Readonly<Record<string, string | Uint8Array>>;

/** A refresh before it is encoded as a request. */
export interface RefreshDraft {
  readonly holder: BenchHolder;
  /** Value of the header `x-zkp-proof`. */
  readonly proofHeader: string;
  readonly parts: FormParts;
}

/** A request in pieces, ready to be sent, and the number of its holder. */
export interface PreparedRefresh {
  readonly index: number;
  readonly pieces: readonly Uint8Array[];
}

const EXTERNAL_NULLIFIER = 'proofgate-refresh';
const BOUNDARY = '----proofgate-bench-5b0e9d';
const CRLF = '\r\n';
const FILE_PARTS: ReadonlySet<string> = new Set(['hashes.json', 'hashes.sign']);
/** A part of at least this size is a separate piece, shared by requests with the same text. */
const SHARED_BYTES = 65_536;

// Nullifiers advance by a step, so that no two proofs have the same inputs.
const NULLIFIER_STEP = trapdoorScalar('bench-nullifier-step');

/** Makes the header of a holder's request; each call makes another proof. */
export type HeaderMaker = (holder: BenchHolder) => string;

/**
 * Creates a header maker.
 *
 * @param first - Number of the first proof; makers of disjoint ranges share no proof.
 */
export async function headerMaker(first: number): Promise<HeaderMaker> {
  const [build] = (await loadBuilds()).present;
  if (build === undefined) throw new Error('no build of the engine');
  const poseidon = (inputs: Uint8Array): Uint8Array => build.module.poseidon(inputs);
  const empty = await emptyNodes(async (inputs) => poseidon(inputs), TREE_DEPTH);
  const prove = await proofMaker(first);
  const externalNullifier = hashToField(Buffer.from(EXTERNAL_NULLIFIER));
  let count = first;
  return ({ idComm, sub }) => {
    count += 1;
    const nullifierHash = be32((BigInt(count) * NULLIFIER_STEP) % R);
    const root = empty.slice(0, TREE_DEPTH).reduce((node, sibling) => poseidon(pair(node, sibling)), idComm);
    const header = {
      proof: toHex(prove([root, nullifierHash, hashToField(sub), externalNullifier])),
      nullifierHash: toHex(nullifierHash),
      externalNullifier: EXTERNAL_NULLIFIER,
      idCommitment: toHex(idComm),
      sub: toHex(sub),
    };
    return Buffer.from(JSON.stringify(header)).toString('base64');
  };
}

/** Makes a complete refresh of a holder. */
export function refreshDraft(holder: BenchHolder, kind: RefreshKind, header: HeaderMaker): RefreshDraft {
  const custody = kind === 'with' ? benchPackage(holder).fields : {};
  return { holder, proofHeader: header(holder), parts: { sub: toHex(holder.sub), ...custody } };
}

/** Encoded bytes of the last text of each large part, shared by requests. */
const encoded = new Map<string, { readonly value: string | Uint8Array; readonly bytes: Uint8Array }>();

function bytesOf(name: string, value: string | Uint8Array): Uint8Array {
  if (value.length < SHARED_BYTES) return Buffer.from(value as string);
  const known = encoded.get(name);
  if (known?.value === value) return known.bytes;
  const bytes = Buffer.from(value as string);
  encoded.set(name, { value, bytes });
  return bytes;
}

/** Encodes head and form as a wallet does; large parts are separate pieces. */
export function writeRefresh({ holder, proofHeader, parts }: RefreshDraft): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const cut = (): void => {
    pieces.push(Buffer.concat(small));
    small = [];
  };
  for (const [name, value] of Object.entries(parts)) {
    const file = FILE_PARTS.has(name)
      ? `; filename="${name}"${CRLF}Content-Type: application/octet-stream`
      : '';
    const before = `--${BOUNDARY}${CRLF}Content-Disposition: form-data; name="${name}"${file}${CRLF}${CRLF}`;
    const bytes = bytesOf(name, value);
    small.push(Buffer.from(before));
    if (bytes.length >= SHARED_BYTES) {
      cut();
      pieces.push(bytes);
    } else small.push(bytes);
    small.push(Buffer.from(CRLF));
  }
  small.push(Buffer.from(`--${BOUNDARY}--${CRLF}`));
  cut();
  const [first = new Uint8Array(), ...rest] = pieces;
  const head = [
    `POST /api/v1/refresh?idComm=${toHex(holder.idComm)} HTTP/1.1`,
    'Host: localhost',
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    `x-zkp-proof: ${proofHeader}`,
    `Content-Length: ${pieces.reduce((sum, piece) => sum + piece.length, 0)}`,
  ].join(CRLF);
  return [Buffer.concat([Buffer.from(`${head}${CRLF}${CRLF}`), first]), ...rest];
}

/**
 * Builds `count` first refreshes, each of another holder with another proof.
 *
 * @param first - Number of the first holder and of the first proof.
 */
export async function refreshRequests(
  kind: RefreshKind,
  first: number,
  count: number,
): Promise<PreparedRefresh[]> {
  const header = await headerMaker(first);
  return Array.from({ length: count }, (_, offset) => {
    const index = first + offset;
    return { index, pieces: writeRefresh(refreshDraft(benchHolder(index), kind, header)) };
  });
}
