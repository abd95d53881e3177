/** The holder proofs of the credential vectors. */
import { readFileSync } from 'node:fs';

interface HolderVectors {
  readonly x_zkp_proof_header: {
    readonly json: string;
    readonly base64: string;
    readonly query_id_comm: string;
    readonly form_sub: string;
  };
  readonly authentication_proofs: readonly {
    readonly verifying_key: string;
    readonly external_nullifier_preimage?: string;
    readonly external_nullifier_ascii?: string;
    readonly signal_preimage: string;
    readonly id_commitment: string;
    readonly public_inputs: readonly string[];
    readonly proof: string;
  }[];
}

const { x_zkp_proof_header, authentication_proofs } = JSON.parse(
  readFileSync(new URL('../../../vectors/credential-vectors.json', import.meta.url), 'utf8'),
) as HolderVectors;

/** A complete header under trapdoor-4, with the request that it is for. */
export const HEADER: HolderVectors['x_zkp_proof_header'] = x_zkp_proof_header;
/** Authentication proofs under three keys, with the pre-images of their inputs. */
export const AUTHENTICATION_PROOFS: HolderVectors['authentication_proofs'] = authentication_proofs;
