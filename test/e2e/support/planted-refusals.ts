/** Every refusal of a refresh, with planted texts in the refused values. */
import { randomBytes } from 'node:crypto';
import { toHex } from '../../../src/semaphore/hex.ts';
import { orbKeyPair, signManifest } from '../../support/refresh/custody-package.ts';
import { type RefreshDraft, withParts } from '../../support/refresh/draft.ts';
import { base64Json } from '../../support/refresh/holder.ts';
import { type PlantedRefresh, plantedElement } from './planted-refresh.ts';

/** State of the holder of a refused request in the store. */
export type Standing =
  | 'enrolled'
  | 'unknown'
  | 'revoked'
  | 'full'
  | 'bound to another'
  | 'of another signup'
  | 'of an orb without key';

/** One refusal. */
export interface PlantedRefusal {
  readonly name: string;
  /** Status and error name. */
  readonly answer: string;
  /** Default: `enrolled`. */
  readonly standing?: Standing;
  /** Whether the proof does not hold. */
  readonly isFalse?: boolean;
  readonly plantsReason?: boolean;
  readonly change?: (planted: PlantedRefresh) => RefreshDraft;
}

const STRANGER = orbKeyPair('an unregistered key');
const INVALID_REQUEST = '400 INVALID_REQUEST';
const PACKAGE = '400 PCP_VALIDATION_FAILED';

/** Texts with a planted value that are not field elements. */
const NOT_ELEMENTS: Readonly<Record<string, (planted: PlantedRefresh, kind: string) => string>> = {
  'no hex': ({ plant }, kind) => plant(kind),
  'no hex after 0x': ({ plant }, kind) => `0x${plant(kind)}`,
  'no prefix': ({ note }, kind) => toHex(note(kind, plantedElement())).slice(2),
  'upper-case prefix': ({ note }, kind) => toHex(note(kind, plantedElement())).replace('0x', '0X'),
  'too long': ({ note }, kind) => `${toHex(note(kind, plantedElement()))}0`,
  'above the order': ({ note }, kind) => `0xff${toHex(note(kind, plantedElement())).slice(4)}`,
};

/** The refusals of checks 2 to 7 and 9 to 13 (spec/refresh.md#order-of-checks). */
export const PLANTED_REFUSALS: readonly PlantedRefusal[] = [
  ...contentTypes(),
  ...bodies(),
  ...parts(),
  ...subs(),
  ...idComms(),
  ...headers(),
  ...statements(),
  { name: 'window: full', answer: '429 RATE_LIMIT_EXCEEDED', standing: 'full' },
  { name: 'enrolment: missing', answer: '404 NO_SIGNUP_RECORD', standing: 'unknown' },
  { name: 'enrolment: revoked', answer: '404 NO_SIGNUP_RECORD', standing: 'revoked' },
  { name: 'binding: to another sub', answer: '400 SUB_MISMATCH', standing: 'bound to another' },
  ...packages(),
];

function contentTypes(): PlantedRefusal[] {
  const of = (name: string, answer: string, type: (text: string) => string): PlantedRefusal => ({
    name: `content type: ${name}`,
    answer,
    change: ({ draft, plant }) => ({ ...draft, contentType: type(plant('content type')) }),
  });
  return [
    of('another', '415 UNSUPPORTED_MEDIA_TYPE', (text) => `text/${text}`),
    of('none', '415 UNSUPPORTED_MEDIA_TYPE', () => ''),
    of('no boundary', INVALID_REQUEST, (text) => `multipart/form-data; ${text}=${text}`),
    of('a boundary of another form', INVALID_REQUEST, (text) => `multipart/form-data; boundary="${text}\\"`),
    of(
      'two boundaries',
      INVALID_REQUEST,
      (text) => `multipart/form-data; boundary=${text}; boundary=${text}`,
    ),
    of(
      'a boundary that is not in the body',
      INVALID_REQUEST,
      (text) => `multipart/form-data; boundary=${text}`,
    ),
  ];
}

function bodies(): PlantedRefusal[] {
  const edited = (name: string, edit: (text: string, planted: string) => string): PlantedRefusal => ({
    name: `body: ${name}`,
    answer: INVALID_REQUEST,
    change({ draft, plant }) {
      const text = plant('body');
      const editDraft = draft.edit ?? ((body: Buffer) => body);
      return {
        ...draft,
        edit: (body) => Buffer.from(edit(Buffer.from(editDraft(body)).toString('latin1'), text), 'latin1'),
      };
    },
  });
  const SUB = 'Content-Disposition: form-data; name="sub"';
  return [
    {
      name: 'body: too large',
      answer: '413 PAYLOAD_TOO_LARGE',
      change: ({ draft }) => ({ ...draft, announcedBytes: 1_048_577 }),
    },
    edited('cut', (body) => body.slice(0, -12)),
    edited('continues after its end', (body, text) => `${body.slice(0, -2)}${text}`),
    edited('a header without a colon', (body, text) => body.replace(SUB, `${text}\r\n${SUB}`)),
    edited('a header twice', (body, text) => body.replace(SUB, `${SUB}; filename="${text}"\r\n${SUB}`)),
    edited('a transfer encoding', (body, text) =>
      body.replace(SUB, `Content-Transfer-Encoding: ${text}\r\n${SUB}`),
    ),
    edited('a disposition of another type', (body, text) =>
      body.replace(SUB, SUB.replace('form-data', text)),
    ),
    edited('a name with an escape', (body, text) => body.replace(SUB, SUB.replace('"sub"', `"\\${text}"`))),
    edited('a second name', (body, text) => body.replace(SUB, `${SUB}; name*=utf-8''${text}`)),
    edited('no name', (body, text) => body.replace(SUB, `Content-Disposition: form-data; ${text}="a"`)),
    edited('a known part twice', (body, text) => {
      const delimiter = body.slice(0, body.indexOf('\r\n') + 2);
      return `${delimiter}${SUB}\r\n\r\n${text}\r\n${body}`;
    }),
  ];
}

function parts(): PlantedRefusal[] {
  const tooLong: readonly (readonly [name: string, bytes: number, answer: string])[] = [
    ['encrypted_user_id', 4097, INVALID_REQUEST],
    ['operator_id', 257, PACKAGE],
    ['signup_id_salt', 129, PACKAGE],
    ['hashes.json', 65_537, PACKAGE],
  ];
  return [
    {
      name: 'part: too many',
      answer: INVALID_REQUEST,
      change({ draft, plant }) {
        const many = Array.from({ length: 64 }, () => [plant('part'), plant('part')] as const);
        return withParts(draft, Object.fromEntries(many));
      },
    },
    {
      name: 'part: user id that is not UTF-8',
      answer: INVALID_REQUEST,
      change: ({ draft, plant }) =>
        withParts(draft, {
          encrypted_user_id: Buffer.concat([Buffer.from(plant('encrypted_user_id')), Buffer.of(0xff)]),
        }),
    },
    ...tooLong.map(
      ([name, bytes, answer]): PlantedRefusal => ({
        name: `part: ${name} of ${bytes} bytes`,
        answer,
        change: ({ draft, plant }) => withParts(draft, { [name]: plant(name).padEnd(bytes, 'x') }),
      }),
    ),
  ];
}

function subs(): PlantedRefusal[] {
  const of = (name: string, value: (planted: PlantedRefresh) => string | undefined): PlantedRefusal => ({
    name: `sub: ${name}`,
    answer: '400 INVALID_SUB',
    change: (planted) => withParts(planted.draft, { sub: value(planted) }),
  });
  return [
    of('missing', () => undefined),
    ...Object.entries(NOT_ELEMENTS).map(([name, make]) => of(name, (planted) => make(planted, 'sub'))),
    of('with space', ({ holder }) => `${toHex(holder.sub)} `),
  ];
}

function idComms(): PlantedRefusal[] {
  const of = (name: string, query: (planted: PlantedRefresh) => string): PlantedRefusal => ({
    name: `idComm: ${name}`,
    answer: '400 INVALID_ID_COMM',
    change: (planted) => ({ ...planted.draft, query: query(planted) }),
  });
  return [
    of('missing', ({ plant }) => `${plant('parameter')}=${plant('parameter')}`),
    of('repeated', ({ draft, note }) => `${draft.query}&idComm=${toHex(note('idComm', plantedElement()))}`),
    of('after a broken escape', ({ plant }) => `idComm=%zz${plant('idComm')}`),
    ...Object.entries(NOT_ELEMENTS).map(([name, make]) =>
      of(name, (planted) => `idComm=${make(planted, 'idComm')}`),
    ),
  ];
}

/** Returns the members of the valid header. */
function membersOf({ draft }: PlantedRefresh): Record<string, unknown> {
  const header = draft.headers['x-zkp-proof'] ?? '';
  return JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
}

function headers(): PlantedRefusal[] {
  const raw = (name: string, header: (planted: PlantedRefresh) => string): PlantedRefusal => ({
    name: `header: ${name}`,
    answer: '401 UNAUTHORIZED',
    change: (planted) => ({ ...planted.draft, headers: { 'x-zkp-proof': header(planted) } }),
  });
  const text = (name: string, json: (planted: PlantedRefresh) => string | Uint8Array): PlantedRefusal =>
    raw(name, (planted) => Buffer.from(json(planted)).toString('base64'));
  const member = (name: string, kind: string, value: (planted: PlantedRefresh) => unknown): PlantedRefusal =>
    raw(`${kind}: ${name}`, (planted) => base64Json({ ...membersOf(planted), [kind]: value(planted) }));
  const names = ['proof', 'nullifierHash', 'externalNullifier', 'idCommitment', 'sub'];
  return [
    {
      name: 'header: missing',
      answer: '401 UNAUTHORIZED',
      change: ({ draft }) => ({ ...draft, headers: {} }),
    },
    {
      name: 'header: repeated',
      answer: '401 UNAUTHORIZED',
      change: ({ draft, plant }) => ({
        ...draft,
        lines: [...(draft.lines ?? []), `x-zkp-proof: ${plant('header')}`],
      }),
    },
    raw('text', ({ plant }) => plant('header')),
    raw('no base64', ({ plant }) => `${plant('header')} ${plant('header')}`),
    raw('too long', ({ plant }) => plant('header').padEnd(3073, 'x')),
    text('a JSON text', ({ plant }) => JSON.stringify(plant('header'))),
    text('broken JSON', ({ plant }) => `{"proof":"${plant('header')}`),
    text('an unknown JSON literal', ({ plant }) => `{"proof":${plant('header')}}`),
    text('a bad escape', ({ plant }) => `{"proof":"${plant('header')}\\x"}`),
    text('more after the object', ({ plant }) => `{}${plant('header')}`),
    text('no UTF-8', ({ plant }) => Buffer.concat([Buffer.from(plant('header')), Buffer.of(0xff)])),
    text('a member twice', (planted) => {
      const name = planted.plant('member');
      return `{"${name}":"${planted.plant('member')}","${name}":"${planted.plant('member')}"}`;
    }),
    ...names.map((name) => member('missing', name, () => undefined)),
    ...names.map((name) =>
      member('an object', name, ({ plant }) => ({ [plant('member')]: plant('member') })),
    ),
    ...['nullifierHash', 'idCommitment', 'sub'].flatMap((kind) =>
      Object.entries(NOT_ELEMENTS).map(([name, make]) =>
        member(name, kind, (planted) => make(planted, kind)),
      ),
    ),
    member('no hex', 'proof', ({ plant }) => `0x${plant('proof').padEnd(512, 'x')}`),
    member('too short', 'proof', ({ note }) => toHex(note('proof', randomBytes(255)))),
    member('too long', 'externalNullifier', ({ plant }) => plant('externalNullifier').padEnd(129, 'x')),
    member('no hex', 'externalNullifier', ({ plant }) => `0x${plant('externalNullifier')}`),
  ];
}

function statements(): PlantedRefusal[] {
  const of = (kind: string, name: string, value: (planted: PlantedRefresh) => unknown): PlantedRefusal => ({
    name: `statement: ${kind} ${name}`,
    answer: '401 INVALID_PROOF',
    change: (planted) => ({
      ...planted.draft,
      headers: { 'x-zkp-proof': base64Json({ ...membersOf(planted), [kind]: value(planted) }) },
    }),
  });
  const words = (make: () => Buffer): Buffer => Buffer.concat(Array.from({ length: 8 }, make));
  return [
    of('idCommitment', 'of another request', ({ note }) => toHex(note('idCommitment', plantedElement()))),
    of('sub', 'of another request', ({ note }) => toHex(note('sub', plantedElement()))),
    of('nullifierHash', 'of another request', ({ note }) => toHex(note('nullifierHash', plantedElement()))),
    of('externalNullifier', 'in text', ({ plant }) => plant('externalNullifier')),
    of('externalNullifier', 'in hex', ({ note }) => toHex(note('externalNullifier', randomBytes(49)))),
    of('proof', 'off the curve', ({ note }) =>
      toHex(
        note(
          'proof',
          words(() => Buffer.from(plantedElement())),
        ),
      ),
    ),
    of('proof', 'above the modulus', ({ note }) =>
      toHex(
        note(
          'proof',
          words(() => Buffer.concat([Buffer.of(0xff), randomBytes(31)])),
        ),
      ),
    ),
    of('proof', 'compressed', ({ note }) =>
      toHex(Buffer.concat([note('proof', randomBytes(128)), Buffer.alloc(128)])),
    ),
    { name: 'statement: false', answer: '401 INVALID_PROOF', isFalse: true },
  ];
}

function packages(): PlantedRefusal[] {
  const of = (
    name: string,
    fields: (planted: PlantedRefresh) => Readonly<Record<string, string | Uint8Array | undefined>>,
  ): PlantedRefusal => ({
    name: `package: ${name}`,
    answer: PACKAGE,
    change: (planted) => withParts(planted.draft, fields(planted)),
  });
  const manifest = (name: string, text: (plant: (kind: string) => string) => string): PlantedRefusal =>
    of(name, ({ plant }) => ({ 'hashes.json': text(plant) }));
  const changed = (planted: PlantedRefresh, edit: (text: string) => string): Uint8Array =>
    Buffer.from(edit(Buffer.from(planted.custody.manifest).toString()));
  return [
    of('a, a salt missing', () => ({ orb_country_salt: undefined })),
    of('a, a share empty', () => ({ iris_code_shares_1: '' })),
    of('a, a value that is not UTF-8', ({ plant }) => ({
      operator_id: Buffer.concat([Buffer.from(plant('operator_id')), Buffer.of(0xff)]),
    })),
    manifest('b, a text', (plant) => plant('manifest')),
    manifest('b, a list', (plant) => `["${plant('manifest')}"]`),
    manifest('b, a number in an object', (plant) => `{"${plant('manifest')}":{"${plant('manifest')}":1}}`),
    manifest('b, broken', (plant) => `{"${plant('manifest')}":"${plant('manifest')}`),
    manifest('b, a name twice', (plant) => {
      const name = plant('manifest');
      return `{"${name}":"${plant('manifest')}","${name}":"${plant('manifest')}"}`;
    }),
    manifest('b, a long value', (plant) => `{"a":"${plant('manifest').padEnd(129, 'x')}"}`),
    manifest('c, another version', (plant) => `{"version":"${plant('manifest')}"}`),
    manifest('c, none', (plant) => `{"${plant('manifest')}":"${plant('manifest')}"}`),
    ...['signup_id', 'operator_id', 'timestamp', 'orb_country', 'signup_reason', 'iris_code_shares_2'].map(
      (name) => of(`d, ${name}`, ({ plant }) => ({ [name]: plant(name) })),
    ),
    of('d, a salt', ({ plant }) => ({ signup_id_salt: plant('salt of signup_id') })),
    of('d, no digest', (planted) => ({
      'hashes.json': changed(planted, (text) =>
        text.replace(/"operator_id":"[0-9a-f]{64}"/, `"operator_id":"${planted.plant('manifest')}"`),
      ),
    })),
    { name: 'package: e', answer: PACKAGE, plantsReason: true },
    { name: 'package: f', answer: PACKAGE, standing: 'of an orb without key' },
    of('g, an unregistered key', ({ custody, note }) => ({
      'hashes.sign': note('orb signature', signManifest(custody.manifest, STRANGER)),
    })),
    of('g, no DER', ({ plant }) => ({ 'hashes.sign': plant('orb signature') })),
    of('g, another manifest', (planted) => ({
      'hashes.json': changed(planted, (text) => text.replace('{', '{ ')),
    })),
    { name: 'package: h', answer: PACKAGE, standing: 'of another signup' },
  ];
}
