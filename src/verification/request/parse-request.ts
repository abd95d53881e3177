import { ServiceError } from '../../errors/service-error.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { writeProof } from '../../membership/decode-proof.ts';
import { type Identifier, TREE_OF } from '../../membership/roots/trees.ts';
import { writeWord } from '../../semaphore/words.ts';
import type { Environment } from '../../storage/values.ts';
import type { BundleReader } from '../integrity/integrity-bundle.ts';
import { createRequestParser4, type RequestRules4 } from '../worldid4/parse-request4.ts';
import { fieldMessages, objectMessage } from './field-messages.ts';
import { checkTexts, type ReportRules, refusal, reportFaults } from './report-faults.ts';
import {
  BODY_MESSAGES,
  FIELD_ORDER,
  ITEM_FIELD_ORDER,
  ITEM_MESSAGES,
  RULE_MESSAGES,
} from './request-messages.ts';
import {
  createRequestChecks,
  DEFAULT_SIGNAL_HASH_TEXT,
  MAX_MAX_AGE_SECONDS,
  PROTOCOL_VERSION,
  PROTOCOL_VERSION_4,
} from './request-schema.ts';
import {
  type RequestItem,
  STATEMENT_BYTES,
  type Statement,
  type StatementFault,
  type VerifyRequest,
  type VerifyRequest3,
  WORD_AT,
} from './request-types.ts';

/** The encoded texts of an item, as sent. */
export interface StatementTexts {
  readonly proof: string;
  readonly nullifier: string;
  readonly merkleRoot: string;
  readonly signalHash: string;
}

/** Decodes the texts of an item, or names the first that cannot be decoded (`spec/verification.md#item-steps`). */
export function decodeStatement(texts: StatementTexts): Statement | StatementFault {
  const bytes = Buffer.allocUnsafe(STATEMENT_BYTES);
  if (!writeProof(texts.proof, bytes)) return { code: 'item.proof_format' };
  if (!writeWord(texts.nullifier, bytes, WORD_AT.nullifier)) return { code: 'item.nullifier_format' };
  if (!writeWord(texts.merkleRoot, bytes, WORD_AT.root)) return { code: 'item.merkle_root_format' };
  if (!writeWord(texts.signalHash, bytes, WORD_AT.signalHash)) return { code: 'item.signal_hash_format' };
  return { bytes };
}

/** Environment of the test identities in wallet libraries; the service has no separate trees for it. */
const SANDBOX = 'sandbox';

/** Parses a body to a request; keeps no reference to its bytes. */
export type RequestParser = (body: Uint8Array) => VerifyRequest;

/**
 * Creates the parser of request bodies; compiles the schemas once.
 *
 * @param maxResponses - Maximum number of items in a request (`verify.maxResponses`).
 * @param rules4 - What is accepted of World ID 4.0; absent: 4.0 is an unknown protocol version.
 * @param readBundle - Checks the `integrity_bundle`; absent: any value passes.
 * @param mapsSandbox - Whether the environment `sandbox` is read as `staging` (`verify.sandbox`).
 * @returns A function that throws ServiceError `verify.invalid_json`, `verify.schema`,
 *   `verify.bound_sessions_off`, `verify.protocol_version_not_allowed` or `policy.sandbox_refused`; the message of
 *   `verify.schema` is the `detail` of the response, its `path` the `attribute`.
 */
export function createRequestParser(
  maxResponses: number,
  rules4?: RequestRules4,
  readBundle?: BundleReader,
  mapsSandbox = false,
): RequestParser {
  const parse3 = createRequestParser3(maxResponses, rules4 !== undefined, readBundle);
  const parse4 = rules4 && createRequestParser4(maxResponses, rules4, readBundle);

  return function parseRequest(bytes) {
    const sent = parseBody(bytes);
    const isSandbox = isObject(sent) && sent.environment === SANDBOX;
    // Errors of the body are reported before the refusal of its environment.
    const value = isSandbox ? { ...sent, environment: 'staging' } : sent;
    const request =
      parse4 !== undefined && isObject(value) && value.protocol_version === PROTOCOL_VERSION_4
        ? parse4(value)
        : parse3(value);
    const body = value as JsonObject;
    checkTexts(request, body.nonce as string);
    if (request.protocol === PROTOCOL_VERSION) checkFloor(body);
    if (isSandbox && !mapsSandbox) throw new ServiceError('policy.sandbox_refused');
    return request;
  };
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new ServiceError('verify.invalid_json', undefined, {}, { cause });
  }
}

/** Refuses a 3.0 request whose relying party accepts 4.0 only (spec/verification.md#order-of-checks, version-floor). */
function checkFloor(body: JsonObject): void {
  if (body.min_protocol_version === PROTOCOL_VERSION_4) {
    throw new ServiceError('verify.protocol_version_not_allowed');
  }
}

/** Creates the parser of 3.0 bodies and of bodies with an unknown version. */
function createRequestParser3(
  maxResponses: number,
  knowsVersion4: boolean,
  readBundle: BundleReader | undefined,
): (body: unknown) => VerifyRequest3 {
  const checks = createRequestChecks(maxResponses);
  const rules: ReportRules = {
    bodyErrors: checks.body,
    bodyMessages: BODY_MESSAGES,
    fieldOrder: FIELD_ORDER,
    readBundle,
    itemMessages(item) {
      const errors = checks.item(item);
      if (errors.length === 0) return [];
      return ITEM_FIELD_ORDER.flatMap((field) => fieldMessages(ITEM_MESSAGES, errors, field, item));
    },
  };
  return (body) => {
    if (!isObject(body)) throw refusal(objectMessage(body), '');
    if (body.session_id) throw sessionRefusal(body, knowsVersion4);
    if (!body.action) throw refusal(RULE_MESSAGES.actionMissing, 'action');
    reportFaults(body, rules);
    return readRequest(body);
  };
}

function sessionRefusal({ protocol_version: version }: JsonObject, knowsVersion4: boolean): ServiceError {
  return knowsVersion4 && version === PROTOCOL_VERSION
    ? refusal(RULE_MESSAGES.sessionNeedsVersion4, 'protocol_version')
    : refusal(RULE_MESSAGES.sessionUnsupported, 'session_id');
}

/** Reads a body that fits the schema, which makes these casts safe. */
function readRequest(body: JsonObject): VerifyRequest3 {
  return {
    protocol: PROTOCOL_VERSION,
    kind: 'uniqueness',
    action: body.action as string,
    actionDescription: String(body.action_description ?? ''),
    environment: (body.environment ?? 'production') as Environment,
    items: (body.responses as readonly JsonObject[]).map(readItem),
    bundledBody: body.integrity_bundle === undefined ? undefined : body,
  };
}

function readItem(item: JsonObject): RequestItem {
  const identifier = item.identifier as Identifier;
  const nullifier = item.nullifier as string;
  return {
    identifier,
    tree: TREE_OF[identifier],
    nullifier,
    maxAgeSeconds: (item.max_age ?? MAX_MAX_AGE_SECONDS) as number,
    statement: decodeStatement({
      proof: item.proof as string,
      nullifier,
      merkleRoot: item.merkle_root as string,
      signalHash: (item.signal_hash ?? DEFAULT_SIGNAL_HASH_TEXT) as string,
    }),
  };
}
