/** The complete request of the vectors, and the lines that import its enrolment and its orb key. */
import { wordOf } from '../../../src/semaphore/words.ts';
import vectors from '../../vectors/credential-vectors.json' with { type: 'json' };
import type { RefreshCall } from './client.ts';
import type { TestHolder } from './holder.ts';

/** Requests in test/vectors/credential-vectors.json. */
export const REFRESH_VECTORS: typeof vectors = vectors;

const { x_zkp_proof_header: request, package: custody } = REFRESH_VECTORS;

/** Holder of the request. */
export const VECTOR_HOLDER: TestHolder = {
  idComm: wordOf(BigInt(request.query_id_comm)),
  sub: wordOf(BigInt(request.form_sub)),
};

/** The complete request, valid for trapdoor-4. @param der - Signature of the manifest in hex. */
export function vectorCall(der: string = custody.hashes_sign[0]?.der ?? ''): RefreshCall {
  return {
    query: `idComm=${request.query_id_comm}`,
    headers: { 'x-zkp-proof': request.base64 },
    fields: {
      sub: request.form_sub,
      ...custody.form_fields,
      'hashes.json': custody.hashes_json,
      'hashes.sign': Buffer.from(der, 'hex'),
    },
  };
}

/** The line of `signups import` for the holder of the request, with its line break. */
export function vectorEnrolmentLine(): string {
  const { signup_id, orb_id } = custody.form_fields;
  const row = { id_comm: request.query_id_comm, signup_id, orb_id, enrolled_at: 1_700_000_000 };
  return `${JSON.stringify(row)}\n`;
}

/** The line of `orb-keys import` for the orb of the package, with its line break. */
export function vectorOrbKeyLine(): string {
  const { orb_id } = custody.form_fields;
  return `${JSON.stringify({ orb_id, keys: [custody.orb_public_key_pem] })}\n`;
}
