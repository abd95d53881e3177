import type { JsonObject } from '../../json.ts';
import { ACCOUNT_TREE } from '../../membership/roots/trees.ts';

import { decodeStatement4, type SharedTexts } from './decode-statement4.ts';
import type { RequestItem4 } from './request4-types.ts';

/**
 * Reads the items of a body that fits the schema, which makes these casts safe, and decodes their statements.
 *
 * @param shared - Members of the body that enter the statement of every item.
 */
export function readItems4({ responses }: JsonObject, shared: SharedTexts): RequestItem4[] {
  const decode = decodeStatement4(shared);
  return (responses as readonly JsonObject[]).map((item) => {
    const words = (item.session_nullifier ?? []) as readonly string[];
    const isSession = shared.sessionId !== undefined;
    const nullifier = (isSession ? words[0] : item.nullifier) as string;
    const issuerSchemaId = String(item.issuer_schema_id);
    const expiresAtMin = Number(item.expires_at_min);
    return {
      identifier: item.identifier as string,
      tree: ACCOUNT_TREE,
      nullifier,
      issuerSchemaId,
      expiresAtMin,
      statement: decode({
        nullifier,
        sessionAction: words[1] ?? '',
        issuerSchemaId,
        expiresAtMin,
        genesisIssuedAtMin: Number(item.credential_genesis_issued_at_min ?? 0),
        signalHash: (item.signal_hash ?? '0x0') as string,
        proof: item.proof as readonly string[],
      }),
    };
  });
}
