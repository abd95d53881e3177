import { be32 } from '../../test/support/crypto/bn254.ts';
import { trapdoorScalar } from '../../test/support/crypto/trapdoor.ts';
import type { StreamInputs } from './proof-stream.ts';

/** Inputs for runs in which no app determines the external nullifier. */
export const PLAIN_INPUTS: StreamInputs = {
  root: be32(trapdoorScalar('bench-root')),
  signalHash: be32(trapdoorScalar('bench-signal') >> 8n),
  externalNullifier: be32(trapdoorScalar('bench-external-nullifier') >> 8n),
};
