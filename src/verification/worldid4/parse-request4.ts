import type { JsonObject } from '../../json.ts';
import { ACCOUNT_TREE, isEnvironment } from '../../membership/roots/trees.ts';
import type { Environment } from '../../storage/values.ts';
import type { BundleReader } from '../integrity/integrity-bundle.ts';
import { type ReportRules, refusal, reportFaults } from '../request/report-faults.ts';
import { BODY_MESSAGES, FIELD_ORDER } from '../request/request-messages.ts';
import { PROTOCOL_VERSION_4 } from '../request/request-schema.ts';
import type { IssuerLists, ProofKind, RequestItem4, VerifyRequest4 } from '../request/request-types.ts';
import { decodeStatement4, type SharedTexts } from './decode-statement4.ts';
import { item4Messages, RULE4_MESSAGES } from './request4-messages.ts';
import { createRequest4Checks } from './request4-schema.ts';

/**
 * Reads the items of a body that fits the schema, which makes these casts safe, and decodes their statements.
 *
 * @param shared - Members of the body that enter the statement of every item.
 */
function readItems4({ responses }: JsonObject, shared: SharedTexts): RequestItem4[] {
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

/**
 * Creates the parser of 4.0 bodies (spec/worldid4.md#request); compiles the schemas once.
 *
 * @param issuers - The accepted issuers: an item of one must have one of its identifiers. Items of other issuers pass;
 *   they are refused later, with another code.
 * @param readBundle - Checks the `integrity_bundle`; absent: any value passes.
 * @returns A function that throws ServiceError `verify.schema`.
 */
export function createRequestParser4(
  maxResponses: number,
  issuers: IssuerLists,
  readBundle?: BundleReader,
): (body: JsonObject) => VerifyRequest4 {
  const checks = createRequest4Checks(maxResponses);

  function rulesOf(kind: ProofKind, environment: unknown): ReportRules {
    const list = isEnvironment(environment) ? issuers[environment] : undefined;
    return {
      bodyErrors: checks.body,
      bodyMessages: BODY_MESSAGES,
      fieldOrder: FIELD_ORDER,
      readBundle,
      itemMessages: (item) => item4Messages(item, checks[kind](item), list),
    };
  }

  return (body) => {
    const kind = body.session_id ? 'session' : 'uniqueness';
    if (kind === 'session' && body.action) throw refusal(RULE4_MESSAGES.actionWithSession, 'action');
    if (kind === 'uniqueness' && !body.action) throw refusal(RULE4_MESSAGES.actionMissing, 'action');
    const { environment = 'production' } = body;
    reportFaults(body, rulesOf(kind, environment));
    return readRequest4(body, kind, environment as Environment);
  };
}

/** Reads a body that fits the schema, which makes these casts safe. */
function readRequest4(body: JsonObject, kind: ProofKind, environment: Environment): VerifyRequest4 {
  const action = (body.action ?? '') as string;
  const sessionId = kind === 'session' ? (body.session_id as string) : undefined;
  return {
    protocol: PROTOCOL_VERSION_4,
    kind,
    action,
    actionDescription: String(body.action_description ?? ''),
    environment,
    sessionId,
    items: readItems4(body, { nonce: body.nonce as string, sessionId }),
    bundledBody: body.integrity_bundle === undefined ? undefined : body,
  };
}
