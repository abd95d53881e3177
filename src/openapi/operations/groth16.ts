import { basePathOf } from '../../config/values/public-address.ts';
import { exampleGroth16 } from '../../verification/offline/development-seed.ts';
import type { DocumentConfig, Json, PublicOperation } from '../operation.ts';
import {
  described,
  limited,
  listOf,
  objectOf,
  oneOfTexts,
  ref,
  requestsPerSecond,
  TEXT,
} from '../schemas.ts';

const ANY_PROOF = described('Anything else is a proof that is refused by itself.', {});
/** Schema of a member that only the other form of a request has. */
const ABSENT: Json = { not: {} };
const NUMBER: Json = {
  anyOf: [
    { type: 'string', pattern: '^(0|[1-9][0-9]*)$' },
    { type: 'integer', minimum: 0 },
  ],
};
const SIGNAL: Json = { anyOf: [NUMBER, { type: 'string', pattern: '^0[xX][0-9a-fA-F]{1,64}$' }] };

/** Describes `POST /api/v1/groth16/{key_id}` (spec/verification.md#any-circuit). */
export function groth16Operations(config: DocumentConfig): PublicOperation[] {
  const { enabled, maxProofs, bodyLimitBytes, requireToken } = config.groth16;
  const { rateLimitPerSecond } = config.verify;
  if (!enabled) return [];
  const { keyId, body } = exampleGroth16();
  return [
    {
      id: 'checkGroth16Proofs',
      method: 'POST',
      paths: [`${basePathOf(config.verifyUrl)}/api/v1/groth16/:key_id`],
      tag: 'Any circuit',
      summary: 'Check Groth16 proofs under an imported verifying key',
      description:
        'Answers 200 whether the proofs hold or not, each with its own verdict, and records nothing: a proof that holds once holds again. What the public signals mean, and whether a proof may be used twice, is up to the caller.',
      limits: [
        `A body has at most ${bodyLimitBytes} bytes and \`proofs\` at most ${maxProofs} items.`,
        ...requestsPerSecond(rateLimitPerSecond, 'verify.rateLimitPerSecond').map(
          (text) => `${text} Each proof counts.`,
        ),
      ],
      ...(requireToken ? { security: 'appToken' } : {}),
      parameters: [
        {
          name: 'key_id',
          in: 'path',
          required: true,
          description: 'Id of the verifying key, as `proofgate vkey list` shows it.',
          schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' },
          example: keyId,
        },
      ],
      body: {
        mediaType: 'application/json',
        schema: { anyOf: [ref('Groth16Request'), ref('Groth16ListRequest')] },
        examples: {
          proof: { summary: 'A proof as snarkjs writes it', value: body },
          proofs: { summary: 'Several proofs', value: { proofs: [body, body] } },
        },
      },
      headers: ['Cache-Control'],
      success: {
        200: {
          description: 'The verdict, or the verdicts in the order of the request.',
          content: { 'application/json': { anyOf: [ref('Groth16Verdict'), ref('Groth16Verdicts')] } },
        },
      },
      errorForm: 'verify',
      ...limited(rateLimitPerSecond),
      errors: [
        ...(['verify.invalid_json', 'verify.schema', 'verify.key_unknown'] as const),
        ...(['client.no_credentials', 'client.invalid_credentials', 'client.too_many_failures'] as const),
        ...(['verify.deadline', 'engine.busy', 'engine.draining'] as const),
        ...(['store.unreachable', 'store.failed'] as const),
      ],
    },
  ];
}

/** Returns the schemas of requests and answers. */
export function groth16Schemas({ groth16 }: DocumentConfig): Readonly<Record<string, Json>> {
  if (!groth16.enabled) return {};
  const member: Readonly<Record<string, Json>> = {
    proof: { anyOf: [ref('SnarkjsProof'), ref('HexProof'), ANY_PROOF] },
    publicSignals: {
      anyOf: [described('One number below r for each public input.', listOf(SIGNAL)), ANY_PROOF],
    },
  };
  return {
    Groth16Request: objectOf({ ...member, proofs: ABSENT }, ['proofs']),
    Groth16ListRequest: objectOf(
      {
        proofs: {
          type: 'array',
          minItems: 1,
          maxItems: groth16.maxProofs,
          items: { anyOf: [objectOf(member), ANY_PROOF] },
        },
        proof: ABSENT,
        publicSignals: ABSENT,
      },
      ['proof', 'publicSignals'],
    ),
    SnarkjsProof: objectOf(
      {
        pi_a: point('[x, y, "1"]', NUMBER),
        pi_b: point('[[x0, x1], [y0, y1], ["1", "0"]]', tuple(NUMBER, 2)),
        pi_c: point('[x, y, "1"]', NUMBER),
        protocol: { const: 'groth16' },
        curve: oneOfTexts('bn128', 'bn254'),
      },
      ['protocol', 'curve'],
    ),
    HexProof: described('256 bytes as in EIP-197, or the 128 of a compressed proof.', {
      type: 'string',
      pattern: '^0[xX]([0-9a-fA-F]{256}|[0-9a-fA-F]{512})$',
    }),
    Groth16Verdict: objectOf(
      {
        valid: { type: 'boolean' },
        code: described('Why the proof is not valid: `proof.false`, or why it could not be checked.', TEXT),
        message: described('The same for a person.', TEXT),
      },
      ['code', 'message'],
    ),
    Groth16Verdicts: objectOf({ results: listOf(ref('Groth16Verdict')) }),
  };
}

function point(form: string, coordinate: Json): Json {
  return described(`Affine: ${form}.`, tuple(coordinate, 3));
}

function tuple(items: Json, length: number): Json {
  return { type: 'array', minItems: length, maxItems: length, items };
}
