import { isInPrimeSubgroup, isOnBabyJubJub } from '../../credential/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { numberOf, SCALAR_ORDER } from '../../semaphore/index.ts';
import type { Bytes32 } from '../../storage/index.ts';

/**
 * Refuses a point that cannot be the public key of a World ID 4.0 issuer or OPRF (spec/worldid4.md#state). The circuit
 * leaves these checks to whoever publishes keys, and a point of small order would make signatures forgeable. Takes a few
 * milliseconds.
 *
 * @param x - 32 bytes, big-endian, as is `y`.
 * @throws ServiceError `key.range`, `key.identity`, `key.not_on_curve`, `key.wrong_subgroup`
 */
export function checkKeyPoint(x: Bytes32, y: Bytes32): void {
  const point = [numberOf(x), numberOf(y)] as const;
  if (point.some((coordinate) => coordinate >= SCALAR_ORDER)) {
    throw new ServiceError('key.range', 'x or y: expected a number below the scalar order r');
  }
  if (point[0] === 0n && point[1] === 1n) {
    throw new ServiceError('key.identity', 'x and y are the identity (0, 1), which is the key of nobody');
  }
  if (!isOnBabyJubJub(...point)) {
    if (point.includes(0n)) throw new ServiceError('key.range', 'x or y: expected a number above 0, got 0');
    throw new ServiceError('key.not_on_curve', 'x and y are not a point of BabyJubJub');
  }
  if (!isInPrimeSubgroup(...point)) {
    throw new ServiceError(
      'key.wrong_subgroup',
      'x and y are a point of BabyJubJub outside the prime subgroup',
    );
  }
}
