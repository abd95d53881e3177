import { basePathOf } from '../../config/values/public-address.ts';
import { DEMO_FORM_LIMIT_BYTES } from '../../http/routes/public/demo.ts';
import { BODY_LIMIT_BYTES } from '../../http/routes/public/wallet/calls.ts';
import { LEAF_SCHEMA } from '../../http/routes/public/wallet/read-leaf.ts';
import {
  ANSWER_BODY_LIMIT_BYTES,
  WORLDID4_ANSWER_SCHEMA,
} from '../../http/routes/public/wallet/worldid4-answer.ts';
import {
  PROOF_BODY_LIMIT_BYTES,
  PROOFS_PER_MINUTE,
  WORLDID4_PROOF_SCHEMA,
} from '../../http/routes/public/wallet/worldid4-proof.ts';
import { DEVELOPMENT_TREES, WALLET_ERROR_CODES } from '../../pages.ts';
import type { DocumentConfig, Json, PublicOperation } from '../operation.ts';
import { bodyOfAtMost, listOf, objectOf, oneOfTexts, TEXT, WORD } from '../schemas.ts';
import { assetOperation, fileOperation, PAGE_HEADERS } from './service.ts';

const TAG = 'Development';
const ONLY = 'Outside production only.';
const JSON_HEADERS = ['Cache-Control'] as const;
const EXAMPLE_COMMITMENT = `0x${'01'.padStart(64, '0')}`;
const INDEX: Json = { type: 'integer', minimum: 0 };

/** Describes the development wallet and the demo of a relying party (spec/sign-in.md#development-wallet). */
export function developmentOperations(config: DocumentConfig): PublicOperation[] {
  const base = basePathOf(config.baseUrl);
  const file = (id: string, path: string, summary: string, mediaType: string): PublicOperation => {
    const { success, ...operation } = fileOperation(id, [`${base}${path}`], summary, [mediaType]);
    const unchanged = { 304: { description: 'The file is still that of If-None-Match.' } };
    return { ...operation, tag: TAG, description: ONLY, success: { ...success, ...unchanged } };
  };
  return [
    ...pageOperations(base),
    ...walletCalls(base),
    ...(config.verify.worldid4.enabled ? worldId4Operations(base) : []),
    {
      ...file(
        'getWitnessCode',
        '/wallet/circuit/semaphore-depth30.wasm',
        'Get the witness code',
        'application/wasm',
      ),
      errors: ['circuit.not_built'],
    },
    {
      ...file(
        'getProvingKey',
        '/wallet/circuit/semaphore-depth30.zkey',
        'Get the proving key',
        'application/octet-stream',
      ),
      errors: ['circuit.not_built'],
    },
    {
      ...file('getProver', '/wallet/snarkjs.min.js', 'Get the prover of browsers', 'text/javascript'),
      errors: ['wallet.snarkjs_missing'],
    },
    { ...assetOperation('getWalletFile', `${base}/assets/:name`), tag: TAG },
    { ...assetOperation('getDemoFile', `${base}/demo/assets/:name`), tag: TAG },
  ];
}

function pageOperations(base: string): PublicOperation[] {
  const page = {
    method: 'GET',
    hasHead: true,
    tag: TAG,
    description: ONLY,
    errorForm: 'signin',
    errors: [],
    headers: PAGE_HEADERS,
    success: { 200: { description: 'The page.', content: { 'text/html': { type: 'string' } } } },
  } as const;
  const { hasHead: _, ...posted } = page;
  return [
    {
      ...page,
      id: 'getWallet',
      headers: [...PAGE_HEADERS, 'Cross-Origin-Opener-Policy'],
      paths: [`${base}/wallet`],
      summary: 'Get the page of the development wallet',
    },
    { ...page, id: 'getDemo', paths: [`${base}/demo`], summary: 'Get the page of a demo relying party' },
    {
      ...page,
      id: 'getDemoCallback',
      paths: [`${base}/demo/callback`],
      summary: 'Receive a response as the demo',
    },
    {
      ...posted,
      id: 'postDemoCallback',
      method: 'POST',
      paths: [`${base}/demo/callback`],
      summary: 'Receive a posted response as the demo',
      limits: [bodyOfAtMost(DEMO_FORM_LIMIT_BYTES)],
      body: {
        mediaType: 'application/x-www-form-urlencoded',
        schema: objectOf({ code: TEXT, state: TEXT, iss: TEXT, error: TEXT }, [
          'code',
          'state',
          'iss',
          'error',
        ]),
        examples: { code: { summary: 'A code', value: { code: 'x', state: 'y' } } },
      },
      errors: ['signin.not_a_form', 'signin.malformed_parameters'],
    },
  ];
}

function walletCalls(base: string): PublicOperation[] {
  const call = { tag: TAG, description: ONLY, headers: JSON_HEADERS, errorForm: 'signin' } as const;
  const leaf = { tree: 'orb', commitment: EXAMPLE_COMMITMENT };
  const answer = (schema: Json): PublicOperation['success'] => ({
    200: { description: 'The answer.', content: { 'application/json': schema } },
  });
  return [
    {
      ...call,
      id: 'enroll',
      method: 'POST',
      paths: [`${base}/wallet/api/enroll`],
      summary: 'Append an identity commitment to a development tree',
      limits: [bodyOfAtMost(BODY_LIMIT_BYTES)],
      body: {
        mediaType: 'application/json',
        schema: LEAF_SCHEMA,
        examples: { leaf: { summary: 'A leaf of the tree orb', value: leaf } },
      },
      success: answer(objectOf({ tree: oneOfTexts(...DEVELOPMENT_TREES), index: INDEX, root: WORD })),
      errors: ['http.not_json', 'wallet.invalid_request', 'store.unreachable'],
    },
    {
      ...call,
      id: 'getInclusionProof',
      method: 'GET',
      paths: [`${base}/wallet/api/inclusion-proof`],
      summary: 'Get the path of a commitment to the root of its tree',
      parameters: Object.entries(LEAF_SCHEMA.properties).map(([name, schema]) => ({
        name,
        in: 'query',
        required: true,
        description: `The ${name}.`,
        schema,
        example: leaf[name as keyof typeof leaf],
      })),
      success: answer(
        objectOf({ root: WORD, index: INDEX, siblings: listOf(WORD), path_indices: listOf(INDEX) }),
      ),
      errors: [
        ...(['wallet.invalid_request', 'wallet.not_enrolled', 'signin.repeated_parameter'] as const),
        ...(['signin.malformed_parameters', 'store.unreachable'] as const),
      ],
    },
    {
      ...call,
      id: 'listWalletApps',
      method: 'GET',
      paths: [`${base}/wallet/api/apps`],
      summary: 'List the apps that the wallet can prove for',
      success: answer(objectOf({ apps: listOf(objectOf({ app_id: TEXT, name: TEXT, rp_id: TEXT })) })),
      errors: ['store.unreachable'],
    },
    {
      ...call,
      id: 'getCircuitStatus',
      method: 'GET',
      paths: [`${base}/wallet/api/circuit`],
      summary: 'Ask whether proofs can be made yet',
      success: answer(
        objectOf(
          {
            status: oneOfTexts('ready', 'missing', 'making', 'failed'),
            share: { type: 'number', minimum: 0, maximum: 1 },
            what: TEXT,
            reason: TEXT,
          },
          ['share', 'what', 'reason'],
        ),
      ),
      errors: [],
    },
  ];
}

function worldId4Operations(base: string): PublicOperation[] {
  const call = {
    method: 'POST',
    tag: TAG,
    isRateLimited: true,
    headers: JSON_HEADERS,
    errorForm: 'signin',
  } as const;
  const rate = `An address may call ${PROOFS_PER_MINUTE} times per minute.`;
  const errors = [
    'http.not_json',
    'wallet.invalid_request',
    'development.no_seed',
    'store.unreachable',
  ] as const;
  return [
    {
      ...call,
      id: 'proveWorldId4',
      paths: [`${base}/wallet/api/worldid4-proof`],
      summary: 'Make a proof of World ID 4.0 for a made-up person',
      description: `${ONLY} The answer is the body of a request of verification.`,
      limits: [bodyOfAtMost(PROOF_BODY_LIMIT_BYTES), rate],
      body: {
        mediaType: 'application/json',
        schema: WORLDID4_PROOF_SCHEMA,
        examples: {
          action: {
            summary: 'A proof for an action',
            value: { app_id: 'app_staging_7d23b838b02776cebd87b86ac3248641', action: 'vote' },
          },
        },
      },
      success: { 200: { description: 'The body.', content: { 'application/json': { type: 'object' } } } },
      errors,
    },
    {
      ...call,
      id: 'answerWorldId4',
      paths: [`${base}/wallet/api/worldid4-answer`],
      summary: 'Answer a request for proofs of World ID 4.0 as the wallet of an account',
      description: `${ONLY} The result is the answer for the app, or the error code of a refusal. Nothing is kept.`,
      limits: [bodyOfAtMost(ANSWER_BODY_LIMIT_BYTES), rate],
      body: {
        mediaType: 'application/json',
        schema: WORLDID4_ANSWER_SCHEMA,
        examples: {
          malformed: {
            summary: 'A request that no wallet can read',
            value: {
              request: { proof_request: {}, environment: 'staging' },
              account_secret: EXAMPLE_COMMITMENT,
              wallet: 'new',
            },
          },
        },
      },
      success: {
        200: {
          description: 'The answer or the refusal.',
          content: {
            'application/json': {
              oneOf: [
                objectOf({ answer: { type: 'object' }, nullifier: TEXT }, ['nullifier']),
                objectOf({ error_code: oneOfTexts(...WALLET_ERROR_CODES), reason: TEXT }),
              ],
            },
          },
        },
      },
      errors,
    },
  ];
}
