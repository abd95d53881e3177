import { basePathOf } from '../../config/values/public-address.ts';
import { refreshExample } from '../../development/demo-holder.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { DocumentConfig, Json, PublicOperation } from '../operation.ts';
import {
  bodyOfAtMost,
  described,
  listOf,
  objectOf,
  oneOfTexts,
  TEXT,
  UNIX_SECONDS,
  WORD,
} from '../schemas.ts';

const TAG = 'Credential refresh';
/** A field element sent by a holder; 0 is refused. */
const FIELD_ELEMENT: Json = { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' };
/** Names of the package values; each also has a part for its salt (spec/refresh.md#form-parts). */
const PACKAGE_VALUES = [
  'signup_id',
  'orb_id',
  'operator_id',
  'signup_reason',
  'timestamp',
  'software_version',
  'orb_country',
];
const SHARES = ['iris_code_shares_0', 'iris_code_shares_1', 'iris_code_shares_2'];
const ATTEMPTS: readonly ErrorCode[] = ['refresh.limited', 'store.unreachable'];

/** Describes the interface of credential refresh (spec/interfaces.md#refresh-request). */
export function refreshOperations(config: DocumentConfig): PublicOperation[] {
  const base = basePathOf(config.issuerUrl);
  const { id_comm, sub, x_zkp_proof } = refreshExample();
  const { bodyLimitBytes } = config.refresh;
  return [
    {
      id: 'refreshCredential',
      method: 'POST',
      paths: [`${base}/api/v1/refresh`],
      tag: TAG,
      summary: 'Issue a credential to the holder of an older identity',
      description:
        'The holder proves possession of the identity commitment. With the custody package of the enrolment, all of whose 19 parts are then needed, its data is checked against the signature of the orb.',
      limits: [
        bodyOfAtMost(bodyLimitBytes),
        `A holder gets ${config.rateLimits.refreshPerIdComm} credentials in ${config.rateLimits.refreshWindowSeconds} seconds (\`rateLimits.refreshPerIdComm\`).`,
        ...attempts(config),
      ],
      parameters: [
        {
          name: 'idComm',
          in: 'query',
          required: true,
          description: 'Identity commitment of the holder.',
          schema: FIELD_ELEMENT,
          example: id_comm,
        },
        {
          name: 'x-zkp-proof',
          in: 'header',
          required: true,
          description: 'Base64 of the JSON that proves possession of the identity commitment.',
          schema: TEXT,
          example: x_zkp_proof,
        },
      ],
      body: {
        mediaType: 'multipart/form-data',
        schema: formSchema(),
        examples: { credential: { summary: 'A refresh without a package', value: { sub } } },
      },
      headers: ['Cache-Control'],
      success: {
        200: {
          description: 'The credential, whose record is durable.',
          content: {
            'application/json': objectOf({
              success: { const: true },
              credential: described('Base64 of the JSON of the credential.', TEXT),
              message: TEXT,
            }),
          },
        },
      },
      errorForm: 'refresh',
      errors: [
        ...(['refresh.disabled', 'refresh.media_type', 'refresh.malformed_body'] as const),
        ...(['refresh.duplicate_part', 'refresh.user_id_too_long', 'refresh.sub_invalid'] as const),
        ...(['refresh.id_comm_invalid', 'refresh.proof_unreadable', 'refresh.proof_invalid'] as const),
        ...(['refresh.no_enrolment', 'refresh.sub_mismatch', 'refresh.package_invalid'] as const),
        ...(['refresh.signature_fault', 'engine.busy', 'engine.draining', 'engine.cancelled'] as const),
        ...(['engine.worker_failed', 'issuer_key.none', 'issuer_key.cannot_open'] as const),
        ...(['issuer_key.revoked', 'issuer_key.changed'] as const),
        ...ATTEMPTS,
      ],
    },
    {
      id: 'listIssuerKeys',
      method: 'GET',
      paths: [`${base}/api/v1/issuer-keys`],
      hasHead: true,
      tag: TAG,
      summary: 'List the public keys of the issuer',
      description:
        'A verifier accepts a credential of an active or retired key, and of no revoked one. It is answered while refresh is disabled, too.',
      headers: ['Cache-Control', 'Access-Control-Allow-Origin'],
      success: {
        200: {
          description: 'The keys.',
          content: {
            'application/json': objectOf({
              keys: listOf(
                objectOf({
                  issuer_schema_id: described('Below 2^64; read it without rounding.', { type: 'integer' }),
                  pk: described('Coordinates of the point, in decimal digits.', {
                    ...listOf(TEXT),
                    minItems: 2,
                    maxItems: 2,
                  }),
                  status: oneOfTexts('active', 'retired', 'revoked'),
                }),
              ),
            }),
          },
        },
      },
      errorForm: 'refresh',
      errors: ['store.unreachable'],
    },
    {
      id: 'createChallenge',
      method: 'GET',
      paths: [`${base}/api/v1/challenge`],
      hasHead: true,
      tag: TAG,
      summary: 'Get a challenge that a holder proof can be bound to, once',
      limits: attempts(config),
      headers: ['Cache-Control'],
      success: {
        200: {
          description: 'The challenge.',
          content: {
            'application/json': objectOf({
              challenge: WORD,
              expires_at: described('Seconds since the epoch.', UNIX_SECONDS),
            }),
          },
        },
      },
      errorForm: 'refresh',
      errors: ['refresh.disabled', 'http.not_found', ...ATTEMPTS],
    },
  ];
}

function attempts({ rateLimits }: DocumentConfig): string[] {
  const limit = rateLimits.refreshProofAttemptsPerMinute;
  return limit === 0
    ? []
    : [
        `An address may send ${limit} proofs and ask for challenges per minute, over all nodes (\`rateLimits.refreshProofAttemptsPerMinute\`).`,
      ];
}

function formSchema(): Json {
  const text = (maxLength: number): Json => ({ type: 'string', maxLength });
  const files = {
    'hashes.json': { ...text(65_536), contentMediaType: 'application/octet-stream' },
    'hashes.sign': { ...text(80), contentMediaType: 'application/octet-stream' },
  };
  const parts = Object.fromEntries([
    ...PACKAGE_VALUES.flatMap((name) => [
      [name, text(256)],
      [`${name}_salt`, text(128)],
    ]),
    ...SHARES.map((name) => [name, text(262_144)]),
    ...Object.entries(files),
  ]) as Readonly<Record<string, Json>>;
  const names = Object.keys(parts);
  return {
    ...objectOf(
      {
        sub: described('Subject of the credential; not 0.', FIELD_ELEMENT),
        encrypted_user_id: described('Kept with the record and never read.', text(4096)),
        ...parts,
      },
      ['encrypted_user_id', ...names],
    ),
    // A package is complete: each part requires the first, which requires all others.
    dependentRequired: Object.fromEntries(
      names.map((name, index) => [name, index === 0 ? names : names.slice(0, 1)]),
    ),
  };
}
