import { toHex } from '../semaphore/index.ts';
import type { AcceptedProof } from '../storage/index.ts';
import type { Subject } from './types.ts';

/** Whom an accepted proof shows, as tokens say it. */
export function subjectOf({ sub, level, authTime }: AcceptedProof): Subject {
  return { sub: toHex(sub), level, authTime: Math.floor(authTime / 1000) };
}
