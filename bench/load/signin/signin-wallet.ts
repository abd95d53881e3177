import { externalNullifier } from '../../../src/semaphore/hashes.ts';
import { be32, fromBe, R } from '../../../test/support/crypto/bn254.ts';
import { type SealedMessage, seal, unseal } from '../../../test/support/crypto/sealed-message.ts';
import { groups, trapdoor, trapdoorScalar } from '../../../test/support/crypto/trapdoor.ts';
import { parseLink, WALLET_ROOTS, type WalletLink } from '../../../test/support/test-wallet.ts';

/** A wallet that answers many sign-ins of one client, each as another person. */
export interface LoadWallet {
  /** Parses a connect URL. */
  link(connectUrl: string): WalletLink;
  /** Makes the answer to a request from the bridge: a valid proof over its signal. */
  answer(link: WalletLink, request: SealedMessage): SealedMessage;
}

const PAIRS = 64;
const STEP = trapdoorScalar('bench-wallet-step');

function signalOf({ key }: WalletLink, message: SealedMessage): bigint {
  return BigInt((unseal(key, message) as { signal: string }).signal);
}

/**
 * Creates a wallet over the `orb` tree. A and B of its proofs come from a small set of precomputed points, so
 * a proof costs the client one point multiplication; the server caches no verdicts, so its work is the same.
 */
export async function createLoadWallet(clientId: string): Promise<LoadWallet> {
  const [{ g1, g2 }, setup] = [await groups(), await trapdoor(4)];
  const pairs = Array.from({ length: PAIRS }, (_, index) => {
    const [a, b] = [trapdoorScalar(`bench-wallet-a${index}`), trapdoorScalar(`bench-wallet-b${index}`)];
    return { a, b, points: Buffer.concat([g1(a), g2(b)]) };
  });
  const external = fromBe(externalNullifier(clientId, ''));
  const root = fromBe(WALLET_ROOTS.orb);
  const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
  let count = 0n;
  return {
    link: parseLink,
    answer(link, request) {
      count += 1n;
      const nullifier = (count * STEP) % R;
      const { a, b, points } = pairs[Number(count) % PAIRS] as (typeof pairs)[number];
      const c = setup.solve([root, nullifier, signalOf(link, request), external], a, b);
      return seal(link.key, {
        proof: hex(Buffer.concat([points, g1(c)])),
        merkle_root: hex(be32(root)),
        nullifier_hash: hex(be32(nullifier)),
        verification_level: 'orb',
      });
    },
  };
}
