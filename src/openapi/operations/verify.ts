import { basePathOf } from '../../config/values/public-address.ts';
import { BUNDLE_SCHEMA } from '../../verification/integrity/integrity-bundle.ts';
import { exampleRequest } from '../../verification/offline/development-seed.ts';
import { bodySchema, ITEM_SCHEMA } from '../../verification/request/request-schema.ts';
import { body4Schema, item4Schema } from '../../verification/worldid4/request4-schema.ts';
import type { DocumentConfig, Json, PublicOperation } from '../operation.ts';
import {
  described,
  limited,
  listOf,
  OPTIONAL_TEXT,
  objectOf,
  oneOfTexts,
  ref,
  requestsPerSecond,
  TEXT,
  WORD,
} from '../schemas.ts';

const WORLDID4_ERRORS = [
  'verify.bound_sessions_off',
  'verify.issuer_unrecognized',
  'verify.nullifiers_differ',
  'verify.worldid_key_missing',
  'policy.session_proof_reused',
] as const;
const ENVIRONMENT = oneOfTexts('production', 'staging');
const PROTOCOL = described('Protocol version of the proofs.', oneOfTexts('3.0', '4.0'));

/** Describes `POST /api/v4/verify/{rp_id}` (spec/interfaces.md#verification-request). */
export function verifyOperations(config: DocumentConfig): PublicOperation[] {
  const { enabled, bodyLimitBytes, rateLimitPerSecond, worldid4 } = config.verify;
  if (!enabled) return [];
  const example = exampleRequest();
  const requests = [
    'VerifyRequest',
    ...(worldid4.enabled ? ['VerifyRequest4', 'VerifySessionRequest4'] : []),
    ...(worldid4.enabled && worldid4.boundSessions ? ['VerifyBoundRequest4'] : []),
  ];
  return [
    {
      id: 'verifyProof',
      method: 'POST',
      paths: [`${basePathOf(config.verifyUrl)}/api/v4/verify/:rp_id`],
      tag: 'Verification',
      summary: 'Verify proofs for an app and an action',
      description:
        'Answers 200 if at least one proof is valid and its nullifier is durably recorded. A person has one nullifier for each action, so count nullifiers, not answers: the message of a repeated one ends with `(nullifier reuse)` and its `created_at` is that of the first time.',
      limits: [
        `A body has at most ${bodyLimitBytes} bytes and \`responses\` at most ${config.verify.maxResponses} items.`,
        ...requestsPerSecond(rateLimitPerSecond, 'verify.rateLimitPerSecond'),
      ],
      parameters: [
        {
          name: 'rp_id',
          in: 'path',
          required: true,
          description: 'rp_id of the app; its app_id is accepted, too.',
          schema: { type: 'string', pattern: '^(rp_[0-9a-fA-F]{16}|app_(staging_)?[0-9a-f]{32})$' },
          example: example.rpId,
        },
      ],
      body: {
        mediaType: 'application/json',
        schema: { anyOf: requests.map(ref) },
        examples: { proof: { summary: 'A proof of World ID 3.0', value: example.body } },
      },
      headers: ['Cache-Control'],
      success: {
        200: {
          description: 'At least one proof is valid.',
          content: { 'application/json': { anyOf: [ref('VerifySuccess'), ref('VerifySessionSuccess')] } },
        },
      },
      errorForm: 'verify',
      ...limited(rateLimitPerSecond),
      errors: [
        ...(['verify.invalid_json', 'verify.schema', 'verify.invalid_id'] as const),
        ...(['verify.app_not_registered', 'verify.rp_not_active', 'verify.app_disabled'] as const),
        ...(['policy.environment_not_allowed', 'policy.protocol_not_allowed'] as const),
        ...(['policy.action_not_allowed', 'policy.credential_not_allowed'] as const),
        ...(['policy.sandbox_refused', 'verify.protocol_version_not_allowed'] as const),
        ...(['verify.integrity_required', 'verify.integrity_failed'] as const),
        ...(['verify.all_failed', 'verify.all_failed_internal', 'verify.deadline'] as const),
        ...(['verify.nullifier_store_unreachable', 'verify.nullifier_not_stored'] as const),
        ...(['engine.busy', 'engine.draining', 'store.unreachable', 'store.failed'] as const),
        ...(worldid4.enabled ? WORLDID4_ERRORS : []),
      ],
    },
  ];
}

/** Returns the schemas of requests and answers; the schemas of requests are those of their checks. */
export function verifySchemas({ verify }: DocumentConfig): Readonly<Record<string, Json>> {
  const { maxResponses, worldid4 } = verify;
  const requestOf = (body: Json, item: Json): Json => withItems(body, item, worldid4.integrity === 'verify');
  return {
    VerifyRequest: requestOf(bodySchema(maxResponses), ITEM_SCHEMA),
    ...(worldid4.enabled
      ? {
          VerifyRequest4: {
            ...requestOf(body4Schema(maxResponses), item4Schema('uniqueness')),
            allOf: [form(['action'], { action: FILLED, session_id: EMPTY })],
          },
          VerifySessionRequest4: {
            ...requestOf(body4Schema(maxResponses), item4Schema('session')),
            description: 'The proofs are of a session.',
            allOf: [
              form(['session_id'], {
                session_id: FILLED,
                action: EMPTY,
                proof_type: { const: 'session' },
              }),
            ],
          },
        }
      : {}),
    ...(worldid4.enabled && worldid4.boundSessions
      ? {
          VerifyBoundRequest4: {
            ...requestOf(body4Schema(maxResponses), item4Schema('uniqueness')),
            description: 'The proofs are of uniqueness and bound to a session.',
            allOf: [
              form(['proof_type', 'action', 'session_id'], {
                proof_type: { const: 'uniqueness' },
                action: FILLED,
                session_id: FILLED,
              }),
            ],
          },
        }
      : {}),
    IntegrityBundle: BUNDLE_SCHEMA,
    VerifyResult: objectOf(
      {
        identifier: TEXT,
        issuer_schema_id: described('World ID 4.0, in answers with a valid item; as sent.', {
          type: ['integer', 'string'],
        }),
        success: { type: 'boolean' },
        nullifier: described('As sent.', TEXT),
        sessionId: described('Only in the answer to a session.', TEXT),
        code: described('Why this proof failed; the other proofs of the request are judged apart.', TEXT),
        detail: TEXT,
        attribute: OPTIONAL_TEXT,
      },
      ['issuer_schema_id', 'nullifier', 'sessionId', 'code', 'detail', 'attribute'],
    ),
    VerifySuccess: objectOf(
      {
        success: { const: true },
        session_id: described('Only if the proofs are bound to a session; as sent.', TEXT),
        action: TEXT,
        nullifier: described('Nullifier of the first valid proof.', WORD),
        created_at: described('When this nullifier was first recorded.', {
          type: 'string',
          format: 'date-time',
        }),
        environment: ENVIRONMENT,
        protocol_version: PROTOCOL,
        results: listOf(ref('VerifyResult')),
        message: oneOfTexts('Proof verified successfully', 'Proof verified successfully (nullifier reuse)'),
      },
      ['session_id'],
    ),
    VerifySessionSuccess: objectOf(
      {
        success: { const: true },
        session_id: TEXT,
        environment: ENVIRONMENT,
        protocol_version: PROTOCOL,
        results: listOf(ref('VerifyResult')),
        message: { const: 'Session proof verified successfully' },
        reused: described('Present if this proof was accepted before, within the life of its nonce.', {
          const: true,
        }),
      },
      ['reused'],
    ),
  };
}

const FILLED: Json = { type: 'string', minLength: 1 };
const EMPTY: Json = { type: 'string', maxLength: 0 };

/** Returns the rules by which the kind of a request selects the schema of its items. */
function form(required: readonly string[], properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', required, properties };
}

/** Joins the schemas of a body and of an item: a request is checked with one after the other. */
function withItems(body: Json, item: Json, checksBundles: boolean): Json {
  const properties = body.properties as Readonly<Record<string, Json>>;
  return {
    ...body,
    properties: {
      ...properties,
      responses: { ...properties.responses, items: item },
      integrity_bundle: checksBundles
        ? ref('IntegrityBundle')
        : { anyOf: [ref('IntegrityBundle'), described('Anything, since it is not checked.', {})] },
    },
  };
}
