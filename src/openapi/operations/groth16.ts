import { basePathOf } from '../../config/values/public-address.ts';
import { exampleGroth16 } from '../../verification/offline/development-seed.ts';
import type { DocumentConfig, Json, PublicOperation } from '../operation.ts';
import { described, limited, listOf, objectOf, ref, requestsPerSecond, TEXT } from '../schemas.ts';

const ANY_PROOF = described('Anything else is a proof that is refused by itself.', {});
/** Schema of a member that only the other form of a request has. */
const ABSENT: Json = { not: {} };
/** A number: decimal, or `0x` and hex digits, with leading zeros; a JSON integer where it is exact. */
const NUMBER: Json = {
  anyOf: [
    { type: 'string', pattern: '^([0-9]{1,1000}|0[xX][0-9a-fA-F]{1,998})$' },
    { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  ],
};
const HEX: Json = { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' };
const HEX_WORD: Json = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };

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
    proof: {
      anyOf: [ref('SnarkjsProof'), ref('ProofText'), ref('ProofOfTool'), ANY_PROOF],
    },
    publicSignals: {
      anyOf: [
        described('One number below r for each public input, in their order.', listOf(NUMBER)),
        ref('Sp1Claim'),
        ref('Risc0Claim'),
        described(
          'JSON of the list, or bytes in hex or base64: n × 32, big-endian, or of gnark or arkworks.',
          TEXT,
        ),
        described(
          'Anything else is refused: of `proofs` that proof by itself, else the request (400), if the proof can be read.',
          {},
        ),
      ],
      description: 'Absent if they are part of the proof, as of ZoKrates.',
    },
  };
  return {
    Groth16Request: objectOf({ ...member, proofs: ABSENT }, ['publicSignals', 'proofs']),
    Groth16ListRequest: objectOf(
      {
        proofs: {
          type: 'array',
          minItems: 1,
          maxItems: groth16.maxProofs,
          items: { anyOf: [objectOf(member, ['publicSignals']), ANY_PROOF] },
        },
        proof: ABSENT,
        publicSignals: ABSENT,
      },
      ['proof', 'publicSignals'],
    ),
    SnarkjsProof: objectOf(
      {
        pi_a: point('[x, y, "1"]', NUMBER),
        pi_b: point('[[x0, x1], [y0, y1], ["1", "0"]]', tuple(NUMBER, 2, 2)),
        pi_c: point('[x, y, "1"]', NUMBER),
        protocol: described('`groth16`, if present.', TEXT),
        curve: described('`bn128` or another name of it, if present.', TEXT),
      },
      ['protocol', 'curve'],
    ),
    ProofText: described(
      'Bytes in hex or base64: 256 as in EIP-197, the 128 of a compressed proof, those of gnark or arkworks, or of SP1 or RISC Zero with their selector; or the JSON of another form.',
      TEXT,
    ),
    ProofOfTool: described(
      'As gnark, ZoKrates or Semaphore write it, or arguments of a Solidity verifier: src/docs/proofs-from-other-tools.md has all forms.',
      { type: ['object', 'array'] },
    ),
    Sp1Claim: objectOf(
      {
        vkeyHash: described('Of the program that must have run: `vk.bytes32()`.', HEX_WORD),
        publicValues: described('What the program committed, of any length.', HEX),
        publicValuesDigest: described('In place of it, for a program that uses BLAKE3.', HEX_WORD),
        vkRoot: described('Recursion root of a release from v6 on that is not known here.', HEX_WORD),
      },
      ['publicValues', 'publicValuesDigest', 'vkRoot'],
    ),
    Risc0Claim: objectOf(
      {
        imageId: described('Of the program that must have run.', HEX_WORD),
        journal: described('What the program committed, of any length.', HEX),
        journalDigest: described('SHA-256 of the journal, in place of it.', HEX_WORD),
        claimDigest: described('Of any other claim, in place of these.', HEX_WORD),
        controlRoot: described('Of a release that no selector names, with `bn254ControlId`.', HEX_WORD),
        bn254ControlId: HEX_WORD,
      },
      ['imageId', 'journal', 'journalDigest', 'claimDigest', 'controlRoot', 'bn254ControlId'],
    ),
    Groth16Verdict: objectOf(
      {
        valid: { type: 'boolean' },
        code: described('Why the proof is not valid: `proof.false`, or why it could not be checked.', TEXT),
        message: described('The same for a person.', TEXT),
        form: described(
          'Form in which the proof was found, such as `gnark-json`, if it is neither the object of snarkjs nor plain bytes.',
          TEXT,
        ),
      },
      ['code', 'message', 'form'],
    ),
    Groth16Verdicts: objectOf({ results: listOf(ref('Groth16Verdict')) }),
  };
}

function point(form: string, coordinate: Json): Json {
  return described(`Such as ${form}; the third coordinate may be absent.`, tuple(coordinate, 2, 3));
}

function tuple(items: Json, minItems: number, maxItems: number): Json {
  return { type: 'array', minItems, maxItems, items };
}
