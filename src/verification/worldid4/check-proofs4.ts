import type { Engine } from '../../engine/engine.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import { ACCOUNT_TREE } from '../../membership/roots/trees.ts';
import type { CheckProofs4, Proofs4Claim } from '../../membership/worldid4/proofs4.ts';
import { PROTOCOL_VERSION_4 } from '../request/request-schema.ts';
import type { VerifyRequest4 } from '../request/request-types.ts';
import { isMissed, settleMissed } from '../run/prepared-item.ts';
import { queueItems, RunSignal } from '../run/queue-items.ts';
import { decodeStatement4 } from './decode-statement4.ts';
import { checkNullifiers, createItem4Context, prepareItems4, type WorldId4Rules } from './prepare-items4.ts';

/** Dependencies of `createProofs4Check`. */
export interface Proofs4Parts {
  readonly rules: WorldId4Rules;
  readonly engine: Pick<Engine, 'verifyStatement' | 'canAccept'>;
  readonly roots: RootRegistry;
  readonly keys: KeyRegistry;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives internal errors of single proofs. */
  readonly onFault: (fault: unknown) => void;
}

const UNDECIDED: readonly ErrorCode[] = ['engine.busy', 'engine.draining', 'engine.cancelled'];

/** Creates the check of proofs that do not come as a request to verify (spec/worldid4.md#items). */
export function createProofs4Check(parts: Proofs4Parts): CheckProofs4 {
  const context = createItem4Context(parts.rules, parts);
  return async (claim) => {
    const request = requestOf(claim);
    try {
      checkNullifiers(request);
      const ready = await prepareItems4(request, claim, context);
      const options = { source: claim.source, signal: new RunSignal(), requestId: '' };
      const verdicts = await queueItems(parts, ready, options);
      const { codes } = ready.some(isMissed) ? await settleMissed(ready, verdicts) : { codes: verdicts };
      const code = codes.find((one) => one !== undefined);
      if (code === undefined) return { kind: 'valid' };
      return UNDECIDED.includes(code) ? { kind: 'busy' } : { kind: 'false', code };
    } catch (error) {
      if (isServiceError(error, ...UNDECIDED)) return { kind: 'busy' };
      if (isServiceError(error, 'verify.nullifiers_differ')) return { kind: 'false', code: error.code };
      throw error;
    }
  };
}

function requestOf({ environment, kind, action, nonce, sessionId, proofs }: Proofs4Claim): VerifyRequest4 {
  const decode = decodeStatement4({ kind, nonce, sessionId });
  return {
    protocol: PROTOCOL_VERSION_4,
    kind,
    action,
    actionDescription: '',
    environment,
    sessionId,
    bundledBody: undefined,
    items: proofs.map(({ words, ...proof }) => ({
      ...proof,
      tree: ACCOUNT_TREE,
      sentIssuer: proof.issuerSchemaId,
      statement: decode({ ...proof, genesisIssuedAtMin: 0, proof: words }),
    })),
  };
}
