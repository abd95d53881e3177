import type { Setting } from './setting.ts';
import { flag, integer, isProduction } from './setting-rows.ts';

/** Settings for the verification of proofs of any circuit (spec/verification.md#any-circuit). */
export const GROTH16_SETTINGS = [
  flag(
    'groth16.enabled',
    { text: '`true` (production `false`)', compute: (input) => !isProduction(input) },
    'Serves `POST /api/v1/groth16/{key_id}` below the path of `verifyUrl`, which checks proofs under any imported verifying key; if off, it answers 404.',
  ),
  integer(
    'groth16.maxProofs',
    'proofs',
    256,
    [1, 1024],
    'Maximum number of proofs in one request for any circuit.',
  ),
  integer(
    'groth16.bodyLimitBytes',
    'bytes',
    1_048_576,
    [1024, 16_777_216],
    'Largest body of a request for any circuit; never more than `http.bodyLimitBytes`.',
  ),
  flag(
    'groth16.requireToken',
    { text: '`false` (production `true`)', compute: isProduction },
    'Requires a bearer token of an app for proofs of any circuit: app id, a dot, and a secret of the app.',
  ),
] as const satisfies readonly Setting[];
