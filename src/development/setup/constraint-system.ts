import { ServiceError } from '../../errors/service-error.ts';
import { WORD_BYTES } from '../../groth16/layout.ts';
import { SCALAR_ORDER } from '../../semaphore/words.ts';

/** A wire and its coefficient in a linear combination. */
export interface Term {
  readonly wire: number;
  /** Below r. */
  readonly factor: bigint;
}

/** a · b = c over the wires. */
export interface Constraint {
  readonly a: readonly Term[];
  readonly b: readonly Term[];
  readonly c: readonly Term[];
}

/** A rank-1 constraint system. Wire 0 is the number 1; outputs and public inputs follow, then all others. */
export interface ConstraintSystem {
  readonly wireCount: number;
  /** Outputs and public inputs, without wire 0. */
  readonly publicCount: number;
  readonly constraints: readonly Constraint[];
}

const MAGIC = 'r1cs';
const VERSION = 1;
const PREFIX_BYTES = 12;
const ENTRY_BYTES = 12;
const HEADER_SECTION = 1;
const CONSTRAINT_SECTION = 2;
// length of the prime, the prime, wires, outputs, public inputs, private inputs, labels (8 bytes), constraints
const HEADER_BYTES: number = 4 + WORD_BYTES + 4 * 4 + 8 + 4;

/**
 * Reads the r1cs file of circom (https://github.com/iden3/r1csfile/blob/master/doc/r1cs_bin_format.md).
 *
 * @throws ServiceError `circuit.setup_failed` for a truncated file or one over another field
 */
export function readConstraintSystem(file: Uint8Array): ConstraintSystem {
  try {
    return read(new DataView(file.buffer, file.byteOffset, file.byteLength));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ServiceError('circuit.setup_failed', 'the constraint file is truncated', {}, { cause });
  }
}

function read(file: DataView): ConstraintSystem {
  const magic = String.fromCharCode(...[0, 1, 2, 3].map((at) => file.getUint8(at)));
  if (magic !== MAGIC || file.getUint32(4, true) !== VERSION) {
    throw new ServiceError('circuit.setup_failed', `expected constraints of version ${VERSION}`);
  }
  const sections = new Map<number, DataView>();
  let at = PREFIX_BYTES;
  for (let left = file.getUint32(8, true); left > 0; left--) {
    const bytes = Number(file.getBigUint64(at + 4, true));
    sections.set(
      file.getUint32(at, true),
      new DataView(file.buffer, file.byteOffset + at + ENTRY_BYTES, bytes),
    );
    at += ENTRY_BYTES + bytes;
  }
  const header = sections.get(HEADER_SECTION);
  const body = sections.get(CONSTRAINT_SECTION);
  if (header?.byteLength !== HEADER_BYTES || body === undefined || wordAt(header, 4) !== SCALAR_ORDER) {
    throw new ServiceError('circuit.setup_failed', 'expected constraints over the scalar field of BN254');
  }
  const count = (index: number): number => header.getUint32(4 + WORD_BYTES + 4 * index, true);
  const [wireCount, outputCount, publicInputCount] = [count(0), count(1), count(2)];
  return {
    wireCount,
    publicCount: outputCount + publicInputCount,
    constraints: readConstraints(body, header.getUint32(HEADER_BYTES - 4, true), wireCount),
  };
}

function readConstraints(body: DataView, count: number, wireCount: number): Constraint[] {
  let at = 0;
  const combination = (): Term[] => {
    const terms: Term[] = [];
    const end = body.getUint32(at, true);
    for (at += 4; terms.length < end; at += 4 + WORD_BYTES) {
      const term = { wire: body.getUint32(at, true), factor: wordAt(body, at + 4) };
      if (term.wire >= wireCount || term.factor >= SCALAR_ORDER) {
        throw new ServiceError(
          'circuit.setup_failed',
          'a constraint has an unknown wire or a factor of r or more',
        );
      }
      terms.push(term);
    }
    return terms;
  };
  return Array.from({ length: count }, () => ({ a: combination(), b: combination(), c: combination() }));
}

/** Reads a number of 32 bytes, little-endian. */
function wordAt(view: DataView, at: number): bigint {
  let value = 0n;
  for (let limb = 3; limb >= 0; limb--) value = (value << 64n) | view.getBigUint64(at + 8 * limb, true);
  return value;
}
