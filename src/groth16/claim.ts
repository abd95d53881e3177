import { isBytes } from '../bytes.ts';
import { isObject, type JsonObject } from '../json.ts';
import { FormError } from './layout.ts';
import { type Risc0Claim, type Risc0Release, risc0Signals } from './zkvm/risc0.ts';
import { type Semaphore4Statement, semaphoreSignals } from './zkvm/semaphore4.ts';
import { type Sp1Statement, sp1Signals } from './zkvm/sp1.ts';

const ROOT = 'merkleTreeRoot';
/** Members that a claim of each system may have. */
const MEMBERS = {
  SP1: ['vkeyHash', 'publicValues', 'publicValuesDigest', 'vkRoot'],
  'RISC Zero': ['imageId', 'journal', 'journalDigest', 'claimDigest', 'controlRoot', 'bn254ControlId'],
  'Semaphore v4': ['nullifier', 'message', 'scope'],
  'Semaphore v3': ['nullifierHash', 'signal', 'externalNullifier'],
} as const;
type System = keyof typeof MEMBERS;
const SYSTEMS = Object.keys(MEMBERS) as System[];

/**
 * Computes the public signals from what the users of a system have in their place: of SP1 `vkeyHash` and `publicValues`,
 * of RISC Zero `imageId` and `journal`, or `claimDigest`; of Semaphore root, nullifier, message and scope.
 *
 * @param seal - The proof with its selector, which tells the release.
 * @returns undefined for anything else.
 * @throws FormError `input.*`, `proof.*`; also for members of two systems, of which one would not count
 */
export function signalsOfClaim(source: unknown, seal: Uint8Array | undefined): readonly bigint[] | undefined {
  if (!isObject(source) || isBytes(source)) return undefined;
  // Each member is read once, wherever an object of a class has it.
  const claims = new Map<System, JsonObject>();
  for (const system of SYSTEMS) {
    const found = MEMBERS[system].flatMap((name): [string, unknown][] => {
      const value = source[name];
      return value === undefined ? [] : [[name, value]];
    });
    if (found.length > 0) claims.set(system, Object.fromEntries(found));
  }
  const root = source[ROOT];
  const [first, second] = claims;
  if (first === undefined) return undefined;
  const [system, claim] = first;
  if (second !== undefined)
    throw new FormError('input.form', '', `ambiguous: it has members of ${system} and of ${second[0]}`);
  if (system === 'SP1') return sp1Signals({ ...claim, proof: sealOf(seal) } as Sp1Statement);
  if (system === 'RISC Zero') return signalsOfRisc0(claim, seal);
  return semaphoreSignals({ ...claim, [ROOT]: root } as unknown as Semaphore4Statement);
}

function signalsOfRisc0(claim: JsonObject, seal: Uint8Array | undefined): readonly bigint[] {
  const { controlRoot, bn254ControlId } = claim;
  const isNamed = controlRoot !== undefined || bn254ControlId !== undefined;
  const release = {
    ...(isNamed ? { controlRoot, bn254ControlId } : {}),
    ...(isNamed && seal === undefined ? {} : { seal: sealOf(seal) }),
  };
  try {
    return risc0Signals(claim as unknown as Risc0Claim, release as Risc0Release);
  } catch (error) {
    // The caller gave the seal as the proof.
    if (error instanceof FormError && error.path === 'seal')
      throw new FormError(error.code, 'proof', error.expected, error.isType);
    throw error;
  }
}

function sealOf(seal: Uint8Array | undefined): Uint8Array {
  if (seal !== undefined) return seal;
  throw new FormError(
    'proof.form',
    '',
    'expected a proof that begins with its selector (proof.bytes() of SP1, encode_seal of RISC Zero), which tells the release',
  );
}
