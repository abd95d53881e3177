import { ServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../json.ts';
import { ACCOUNT_TREE, isEnvironment } from '../../membership/roots/trees.ts';
import type { ProofKind, ProofType } from '../../membership/worldid4/proofs4.ts';
import type { Environment } from '../../storage/values.ts';
import type { BundleReader } from '../integrity/integrity-bundle.ts';
import { messageText, NOT_NULL } from '../request/field-messages.ts';
import { type ReportRules, refusal, reportFaults } from '../request/report-faults.ts';
import { BODY_MESSAGES, FIELD_ORDER } from '../request/request-messages.ts';
import { PROTOCOL_VERSION_4 } from '../request/request-schema.ts';
import type { IssuerLists, RequestItem4, VerifyRequest4 } from '../request/request-types.ts';
import { decodeStatement4, type SharedTexts } from './decode-statement4.ts';
import { item4Messages, RULE4_MESSAGES } from './request4-messages.ts';
import { createRequest4Checks, PROOF_TYPES } from './request4-schema.ts';

/** What a service accepts of World ID 4.0 (spec/worldid4.md#switches). */
export interface RequestRules4 {
  /**
   * The accepted issuers: an item of one must have one of its identifiers. Items of other issuers pass; they are refused
   * later, with another code.
   */
  readonly issuers: IssuerLists;
  /** Whether uniqueness proofs may be bound to a session (`verify.worldid4.boundSessions`). */
  readonly boundSessions: boolean;
}

/**
 * Reads the items of a body that fits the schema, which makes these casts safe, and decodes their statements.
 *
 * @param shared - Members of the body that enter the statement of every item.
 */
function readItems4({ responses }: JsonObject, shared: SharedTexts): RequestItem4[] {
  const decode = decodeStatement4(shared);
  return (responses as readonly JsonObject[]).map((item) => {
    const words = (item.session_nullifier ?? []) as readonly string[];
    const nullifier = (shared.kind === 'session' ? words[0] : item.nullifier) as string;
    const sentIssuer = item.issuer_schema_id as number | string;
    const issuerSchemaId = String(sentIssuer);
    const expiresAtMin = Number(item.expires_at_min);
    return {
      identifier: item.identifier as string,
      tree: ACCOUNT_TREE,
      nullifier,
      issuerSchemaId,
      sentIssuer,
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

/**
 * Creates the parser of 4.0 bodies (spec/worldid4.md#request); compiles the schemas once.
 *
 * @param readBundle - Checks the `integrity_bundle`; absent: any value passes.
 * @returns A function that throws ServiceError `verify.schema`, `verify.bound_sessions_off`.
 */
export function createRequestParser4(
  maxResponses: number,
  { issuers, boundSessions }: RequestRules4,
  readBundle?: BundleReader,
): (body: JsonObject) => VerifyRequest4 {
  const checks = createRequest4Checks(maxResponses);

  function rulesOf(kind: ProofKind, environment: unknown): ReportRules {
    const list = isEnvironment(environment) ? issuers[environment] : undefined;
    const itemErrors = checks[kind === 'session' ? 'session' : 'uniqueness'];
    return {
      bodyErrors: checks.body,
      bodyMessages: BODY_MESSAGES,
      fieldOrder: FIELD_ORDER,
      readBundle,
      itemMessages: (item) => item4Messages(item, itemErrors(item), list),
    };
  }

  return (body) => {
    const kind = kindOf(body);
    if (kind === 'bound' && !boundSessions) throw new ServiceError('verify.bound_sessions_off');
    if (kind === 'session' && body.action) throw refusal(RULE4_MESSAGES.actionWithSession, 'action');
    if (kind !== 'session' && !body.action) throw refusal(RULE4_MESSAGES.actionMissing, 'action');
    const { environment = 'production' } = body;
    reportFaults(body, rulesOf(kind, environment));
    return readRequest4(body, kind, environment as Environment);
  };
}

/**
 * Returns the kind that a body names by `proof_type` and `session_id`. Without `proof_type`, a session makes its proofs
 * session proofs; nothing in the items decides.
 */
function kindOf({ proof_type: type, session_id: sessionId }: JsonObject): ProofKind {
  if (type === null) throw refusal(messageText(NOT_NULL, 'proof_type', type, {}), 'proof_type');
  if (type !== undefined && !PROOF_TYPES.includes(type as ProofType)) {
    throw refusal(RULE4_MESSAGES.typeUnknown, 'proof_type');
  }
  if (sessionId) return type === 'uniqueness' ? 'bound' : 'session';
  if (type === 'session') throw refusal(RULE4_MESSAGES.sessionMissing, 'session_id');
  return 'uniqueness';
}

/** Reads a body that fits the schema, which makes these casts safe. */
function readRequest4(body: JsonObject, kind: ProofKind, environment: Environment): VerifyRequest4 {
  const action = (body.action ?? '') as string;
  const sessionId = kind === 'uniqueness' ? undefined : (body.session_id as string);
  return {
    protocol: PROTOCOL_VERSION_4,
    kind,
    action,
    actionDescription: String(body.action_description ?? ''),
    environment,
    sessionId,
    items: readItems4(body, { kind, nonce: body.nonce as string, sessionId }),
    bundledBody: body.integrity_bundle === undefined ? undefined : body,
  };
}
