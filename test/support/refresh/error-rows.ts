/**
 * Single faults of a request in addition to those of the order, each with the answer of
 * spec/refresh.md#errors.
 */
import { P, R } from '../crypto/bn254.ts';
import { CHECK_ROWS } from './check-rows.ts';
import { type RefreshDraft, withParts } from './draft.ts';
import { base64Json } from './holder.ts';
import type { ExpectedRefusal } from './refusal.ts';

/** A fault in an otherwise complete request. */
export interface ErrorRow extends ExpectedRefusal {
  readonly name: string;
  readonly change: (draft: RefreshDraft) => RefreshDraft;
}

type Kind = Pick<ExpectedRefusal, 'code' | 'status' | 'error' | 'check' | 'headers' | 'isJudged'>;

/** The answer of a check, of which `proof-attempts` counts the later ones as attempts. */
function kindOf(name: string, code?: string): Kind {
  const found = CHECK_ROWS.find(({ row }) => row === name);
  if (found === undefined) throw new Error(`expected a check ${name}`);
  const { check = 0, status, error, headers } = found;
  return {
    code: code ?? found.code,
    status,
    ...(error === undefined ? {} : { error }),
    check,
    isJudged: check > 8,
    ...(headers === undefined ? {} : { headers }),
  };
}

const KINDS = {
  media: kindOf('media-type'),
  form: kindOf('form'),
  twice: kindOf('form', 'refresh.duplicate_part'),
  userId: kindOf('form, user id'),
  package: kindOf('package'),
  sub: kindOf('sub'),
  idComm: kindOf('id-comm'),
  header: kindOf('proof-header'),
  proof: kindOf('holder-proof'),
  repeated: { code: 'http.repeated_header', status: 400, error: 'INVALID_REQUEST', isJudged: false },
} as const satisfies Readonly<Record<string, Kind>>;

const row = (
  kind: keyof typeof KINDS,
  name: string,
  change: ErrorRow['change'],
  says?: string | RegExp,
): ErrorRow => ({ ...KINDS[kind], name, change, ...(says === undefined ? {} : { says }) });

/** Order of the scalar field. */
const SCALAR_ORDER = R.toString(16);
/** Order of the field of coordinates, EIP-197. */
const COORDINATE_ORDER = P.toString(16);
const CRLF = '\r\n';

/** Texts that form, query and header all refuse as a field element, by name. */
const INVALID_ELEMENTS: readonly (readonly [name: string, text: string])[] = [
  ['no digits', '0x'],
  ['no prefix', '1a2b3c'],
  ['an upper-case prefix', '0X1a2b3c'],
  ['65 digits', `0x${'1'.repeat(65)}`],
  ['another character', '0x1a2b3g'],
  ['a blank before it', ' 0x1a2b3c'],
  ['a sign', '-0x1a2b3c'],
  ['the order of the field', `0x${SCALAR_ORDER}`],
];
const ZEROS: typeof INVALID_ELEMENTS = [
  ['zero', '0x0'],
  ['zero in 64 digits', `0x${'0'.repeat(64)}`],
];

/** Appends a part to the form. */
function withPart(name: string, value: string): ErrorRow['change'] {
  return (draft) => ({
    ...draft,
    edit(body) {
      const boundary = body.subarray(0, body.indexOf(CRLF)).toString();
      const part = `${CRLF}Content-Disposition: form-data; name="${name}"${CRLF}${CRLF}${value}${CRLF}${boundary}--${CRLF}`;
      return Buffer.concat([body.subarray(0, -`--${CRLF}`.length), Buffer.from(part)]);
    },
  });
}

/** Replaces members of the object in the header; undefined removes a member. */
function withMembers(members: Readonly<Record<string, unknown>>): ErrorRow['change'] {
  return (draft) => {
    const original = JSON.parse(Buffer.from(headerOf(draft), 'base64').toString()) as object;
    return withHeader(base64Json({ ...original, ...members }))(draft);
  };
}

function withHeader(text: string): ErrorRow['change'] {
  return (draft) => ({ ...draft, headers: { 'x-zkp-proof': text } });
}

function withWord(index: number, word: string): ErrorRow['change'] {
  return (draft) => {
    const { proof } = JSON.parse(Buffer.from(headerOf(draft), 'base64').toString()) as {
      readonly proof: string;
    };
    const words = (proof.slice(2).match(/.{64}/g) ?? []).map((text, at) => (at === index ? word : text));
    return withMembers({ proof: `0x${words.join('')}` })(draft);
  };
}

const headerOf = ({ headers }: RefreshDraft): string => headers['x-zkp-proof'] ?? '';
const withQuery =
  (query: string): ErrorRow['change'] =>
  (draft) => ({ ...draft, query });

/** Faults with their answers. */
export const ERROR_ROWS: readonly ErrorRow[] = [
  row('media', 'no content type', (draft) => ({ ...draft, contentType: '' })),
  row('media', 'another multipart', (draft) => ({ ...draft, contentType: 'multipart/mixed; boundary=b' })),
  row('repeated', 'two content types', (draft) => ({
    ...draft,
    lines: ['Content-Type: multipart/form-data'],
  })),
  row('form', 'no boundary', (draft) => ({ ...draft, contentType: 'multipart/form-data' }), /boundary/),
  row('form', 'no body', (draft) => ({ ...draft, edit: () => new Uint8Array() })),
  row('form', 'text as body', (draft) => ({ ...draft, edit: () => Buffer.from('sub=0x1') })),
  row('form', 'a body cut in its last boundary', (draft) => ({
    ...draft,
    edit: (body) => body.subarray(0, -3),
  })),
  row('form', 'an encrypted_user_id of invalid UTF-8', (draft) =>
    withParts(draft, { encrypted_user_id: Buffer.of(0xc3, 0x28) }),
  ),
  row('form', '65 parts', (draft) =>
    withParts(draft, Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`own_${index}`, 'x']))),
  ),
  ...['sub', 'encrypted_user_id', 'orb_id', 'iris_code_shares_2', 'hashes.json'].map((name) =>
    row(
      'twice',
      `${name} twice`,
      (draft) => {
        const first = withParts(draft, name === 'encrypted_user_id' ? { [name]: 'x' } : {});
        return withPart(name, 'x')(first);
      },
      name,
    ),
  ),
  row(
    'userId',
    'encrypted_user_id of 4,097 bytes',
    (draft) => withParts(draft, { encrypted_user_id: 'x'.repeat(4097) }),
    'encrypted_user_id',
  ),
  ...(
    [
      ['signup_id', 257],
      ['orb_country_salt', 129],
      ['iris_code_shares_0', 262_145],
      ['hashes.json', 65_537],
      ['hashes.sign', 81],
    ] as const
  ).map(([name, length]) =>
    row(
      'package',
      `${name} of ${length} bytes`,
      (draft) => withParts(draft, { [name]: Buffer.alloc(length, 'x') }),
      name,
    ),
  ),
  row('sub', 'no sub', (draft) => withParts(draft, { sub: undefined })),
  row('sub', 'a sub with a line break', (draft) => withParts(draft, { sub: '0x1a2b3c\n' })),
  row('sub', 'a sub of invalid UTF-8', (draft) => withParts(draft, { sub: Buffer.of(0x30, 0x78, 0xff) })),
  ...[...INVALID_ELEMENTS, ...ZEROS, ['nothing', ''] as const].map(([name, sub]) =>
    row('sub', `${name} as sub`, (draft) => withParts(draft, { sub })),
  ),
  row('idComm', 'no query', withQuery('')),
  row('idComm', 'no idComm', withQuery('x=0x1&idcomm=0x1')),
  row('idComm', 'two different idComm', (draft) => ({ ...draft, query: `${draft.query}&idComm=0x1` })),
  ...[...INVALID_ELEMENTS, ...ZEROS, ['nothing', ''] as const].map(([name, text]) =>
    row('idComm', `${name} as idComm`, withQuery(`idComm=${encodeURIComponent(text)}`)),
  ),
  row('header', 'two headers', (draft) => ({ ...draft, lines: [`x-zkp-proof: ${headerOf(draft)}`] })),
  row('header', 'text that is not base64', withHeader('{"proof":"0x"}')),
  row('header', 'base64 of text that is not JSON', withHeader('AAAA')),
  row('header', 'base64 of a list', withHeader(base64Json([]))),
  row('header', 'base64 of invalid UTF-8', withHeader(Buffer.of(0x22, 0xff, 0x22).toString('base64'))),
  row('header', '3,073 characters', (draft) => withHeader('A'.repeat(3073))(draft)),
  ...['proof', 'nullifierHash', 'externalNullifier', 'idCommitment', 'sub'].flatMap((member) => [
    row('header', `no member ${member}`, withMembers({ [member]: undefined })),
    row('header', `a number as ${member}`, withMembers({ [member]: 1 })),
  ]),
  ...['nullifierHash', 'idCommitment', 'sub'].flatMap((member) =>
    INVALID_ELEMENTS.map(([name, text]) =>
      row('header', `${name} as member ${member}`, withMembers({ [member]: text })),
    ),
  ),
  row('header', 'a proof of 511 digits', withMembers({ proof: `0x${'1'.repeat(511)}` })),
  row('proof', 'another idCommitment in the header', withMembers({ idCommitment: '0x1' })),
  row('proof', 'another sub in the header', withMembers({ sub: '0x1' })),
  row('proof', 'another sub in the form', (draft) => withParts(draft, { sub: '0x1a2b3c' })),
  row('proof', 'another idComm in the query', withQuery('idComm=0x1a2b3c')),
  row('proof', 'another external nullifier', withMembers({ externalNullifier: 'proofgate-refres' })),
  row('proof', 'another nullifier hash', withMembers({ nullifierHash: '0x1' })),
  row('proof', 'a coordinate above the field', withWord(0, COORDINATE_ORDER)),
  row('proof', 'a point off its curve', withWord(1, '1'.padStart(64, '0'))),
  row('proof', 'a point of G2 off its curve', withWord(4, '1'.padStart(64, '0'))),
  row('proof', 'points at infinity', withMembers({ proof: `0x${'0'.repeat(512)}` })),
];
