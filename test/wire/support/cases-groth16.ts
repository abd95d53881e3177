/** `POST /api/v1/groth16/{key_id}`. */
import example from '../../../circuits/semaphore-depth30/example.json' with { type: 'json' };
import { snarkjsProof } from '../../library/support/semaphore-statement.ts';
import { at, get, post, postJson, type WireCase } from './wire-case.ts';

const PATH = '/api/v1/groth16/semaphore-depth30';
const R = '21888242871839275222246405745257275088548364400416034343698204186575808495617';
const { proof, merkle_root, nullifier_hash, signal_hash, external_nullifier_hash } = example;
const SIGNALS = [merkle_root, nullifier_hash, signal_hash, external_nullifier_hash];
const MEMBER = { proof, publicSignals: SIGNALS };

const decimal = (hex: string): string => String(BigInt(hex));
const EIGHT_NUMBERS = proof
  .slice(2)
  .match(/.{64}/g)
  ?.map((word) => `0x${word}`);
const SNARKJS = snarkjsProof(Buffer.from(proof.slice(2), 'hex'));

const VERDICTS: readonly WireCase[] = [
  postJson('checks the example proof', PATH, MEMBER),
  postJson('checks it again', PATH, MEMBER),
  postJson('checks an object of snarkjs', PATH, { proof: SNARKJS, publicSignals: SIGNALS.map(decimal) }),
  postJson('checks a compressed proof', PATH, {
    proof: `0x${example.proof_compressed.map((word) => word.slice(2)).join('')}`,
    publicSignals: SIGNALS,
  }),
  postJson('names the form of another tool', PATH, { proof: EIGHT_NUMBERS, publicSignals: SIGNALS }),
  postJson('names it in a refusal', PATH, {
    proof: EIGHT_NUMBERS,
    publicSignals: [...SIGNALS.slice(1), '1'],
  }),
  post('takes any content type', PATH, 'text/plain', JSON.stringify(MEMBER)),
  postJson('ignores members that it does not know', PATH, { ...MEMBER, extra: 1 }),
  postJson('checks several proofs', PATH, {
    proofs: [
      MEMBER,
      { ...MEMBER, publicSignals: [...SIGNALS.slice(0, 3), '1'] },
      { ...MEMBER, publicSignals: [...SIGNALS.slice(0, 3), R] },
      { ...MEMBER, publicSignals: SIGNALS.slice(0, 3) },
      { ...MEMBER, publicSignals: [...SIGNALS.slice(0, 3), '01'] },
      { ...MEMBER, proof: { ...SNARKJS, pi_a: ['1', '1', '1'] } },
      { ...MEMBER, proof: { ...SNARKJS, pi_c: ['0', '1', '0'] } },
      { ...MEMBER, proof: '0x00' },
      { ...MEMBER, proof: `0x${'f'.repeat(256)}` },
      null,
      { ...MEMBER, proof: SNARKJS },
    ],
  }),
];

const REFUSALS: readonly WireCase[] = [
  postJson('refuses neither shape', PATH, {}),
  postJson('refuses both shapes', PATH, { ...MEMBER, proofs: [MEMBER] }),
  postJson('refuses no signals', PATH, { proof }),
  postJson('refuses signals that are no list', PATH, { proof, publicSignals: 7 }),
  postJson('refuses an empty list', PATH, { proofs: [] }),
  postJson('refuses a list that is none', PATH, { proofs: MEMBER }),
  postJson('refuses 257 proofs', PATH, { proofs: Array(257).fill(0) }),
  postJson('refuses an array', PATH, [MEMBER]),
  post('refuses a body that is no JSON', PATH, 'application/json', '{'),
  postJson('refuses an unknown key', '/api/v1/groth16/unknown', MEMBER),
  postJson('refuses a key id of another form', '/api/v1/groth16/Semaphore', MEMBER),
  postJson('refuses a broken escape in the key id', '/api/v1/groth16/%zz', MEMBER),
  postJson('refuses a path below it', `${PATH}/more`, MEMBER),
  get('refuses another method', PATH),
  { title: 'answers OPTIONS', request: { line: `OPTIONS ${PATH}` } },
];

/** Production, with the endpoint switched on; its tokens are those of `Services`. */
const TOKENS: readonly WireCase[] = at('production', [
  postJson('asks for a token', `/verifier${PATH}`, MEMBER),
  post('refuses a wrong token', `/verifier${PATH}`, 'application/json', JSON.stringify(MEMBER), [
    `Authorization: Bearer app_${'0'.repeat(32)}.sk_${'0'.repeat(48)}`,
  ]),
  post('takes the token of an app', `/verifier${PATH}`, 'application/json', JSON.stringify(MEMBER), [
    'Authorization: Bearer {{known token}}',
  ]),
]);

/** Cases of proofs of any circuit. */
export const GROTH16_CASES: readonly WireCase[] = [
  ...VERDICTS,
  ...REFUSALS,
  ...TOKENS,
  ...at('disabled', [postJson('is unknown while it is switched off', PATH, MEMBER)]),
];
