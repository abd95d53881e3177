import { describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { createRequestParser } from '../../../src/verification/request/parse-request.ts';
import type { VerifyRequest3 } from '../../../src/verification/request/request-types.ts';
import { RULES4 } from '../support/issuer-lists.ts';
import { SCHEMA_ROWS } from '../support/schema-rows.ts';
import { bodyOf, bytes, type Fields, itemOf, vector } from '../support/vectors.ts';

/** hash_signal of the empty text (spec/verification.md#hash-vectors). */
const EMPTY_SIGNAL_HASH = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4';
const parse = createRequestParser(64);
const entry = vector(0);
const parseBody = (changes: Fields): VerifyRequest3 => {
  const request = parse(bytes(bodyOf(entry, changes)));
  if (request.protocol !== '3.0') throw new Error(`expected a 3.0 request, got ${request.protocol}`);
  return request;
};

function refusal(body: Uint8Array): { code: string; detail: string; attribute: string | undefined } {
  try {
    parse(body);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { code: error.code, detail: error.message, attribute: error.details.path };
  }
  throw new Error('expected a refusal, but the body was accepted');
}

describe('messages of the request schema', () => {
  it.each(SCHEMA_ROWS)('answers $name', ({ body, detail, attribute }) => {
    expect(refusal(bytes(body))).toEqual({ code: 'verify.schema', detail, attribute });
  });

  it('names the configured limit', () => {
    const body = bytes(bodyOf(entry, { responses: [{}, {}, {}] }));
    expect(() => createRequestParser(2)(body)).toThrow(
      'responses field must have less than or equal to 2 items',
    );
  });

  it('treats a number beyond the range of a double as too large', () => {
    const text = JSON.stringify(bodyOf(entry, { responses: [itemOf(entry, { max_age: 1 })] }));
    const { detail } = refusal(Buffer.from(text.replace('"max_age":1', '"max_age":1e400')));
    expect(detail).toBe('max_age cannot be more than 604800 seconds (7 days).');
  });

  it('prints a huge value in bounded text', () => {
    const deep = `${'['.repeat(30)}${'1,'.repeat(100_000)}1${']'.repeat(30)}`;
    const text = JSON.stringify(bodyOf(entry, { nonce: 'NONCE' })).replace('"NONCE"', deep);
    const { detail } = refusal(Buffer.from(text));
    expect(detail).toMatch(/^nonce must be a `string` type, but the final value was: `\[\n {2}\[\n/);
    expect(detail.length).toBeLessThan(300);
  });
});

describe('order of reporting', () => {
  const first = (body: unknown): string => refusal(bytes(body)).detail;
  const wrong: Fields = {
    responses: undefined,
    environment: 'dev',
    session_id: 0,
    action_description: {},
    action: 5,
    nonce: null,
    protocol_version: '2.0',
  };

  it('reports a missing action before faults of other fields', () => {
    expect(first({ responses: new Array(65).fill(5), protocol_version: '1' })).toBe('action is required');
  });

  it('reports too many items before the protocol version, and that before the first bad item', () => {
    expect(first({ ...wrong, responses: new Array(65).fill(5) })).toMatch(/^responses field must have/);
    expect(first({ ...wrong, responses: [5] })).toBe('Unknown protocol_version');
    expect(first({ ...wrong, protocol_version: '3.0', responses: [itemOf(entry), 5] })).toMatch(
      /^this must be a `object`/,
    );
  });

  it('reports only the first failing item, with all its messages in order', () => {
    const bad = {
      max_age: 1,
      proof: null,
      nullifier: '',
      merkle_root: 5,
      signal_hash: 'x',
      identifier: 'no',
    };
    const { detail, attribute } = refusal(bytes(bodyOf(entry, { responses: [itemOf(entry), bad, null] })));
    expect(attribute).toBe('responses[1]');
    expect(detail).toBe(
      'identifier must be one of the following values: orb, secure_document, document, device, face, selfie, ' +
        'Invalid signal_hash. Must be a hex string with 0x prefix, but it does not begin with 0x., merkle_root must be a `string` type, but the final value was: `5`., ' +
        'Invalid nullifier. Must be a hex string with optional 0x prefix., nullifier is required, ' +
        'proof is required, max_age cannot be less than 3600 seconds (1 hour).',
    );
  });

  it.each([
    ['responses', 'environment'],
    ['environment', 'session_id'],
    ['session_id', 'action_description'],
    ['action_description', 'action'],
    ['action', 'nonce'],
  ])('reports %s before %s and later fields', (field, next) => {
    const order = ['responses', 'environment', 'session_id', 'action_description', 'action', 'nonce'];
    const broken = order.slice(order.indexOf(field));
    expect(broken[1]).toBe(next);
    const body = bodyOf(
      entry,
      Object.fromEntries(broken.map((name) => [name, { ...wrong, responses: 'x' }[name]])),
    );
    expect(refusal(bytes(body)).attribute).toBe(field);
  });

  it('reports responses that are not an array before the protocol version', () => {
    expect(first({ action: 'a', responses: 5, nonce: null, protocol_version: null })).toMatch(
      /^responses must be/,
    );
  });

  it('applies the text rules last: sizes, then characters', () => {
    const long = 'x'.repeat(4097);
    expect(first(bodyOf(entry, { action: long, environment: 'dev' }))).toMatch(/^environment/);
    expect(first(bodyOf(entry, { action_description: '\u0000', action: long }))).toBe(
      'action must be at most 4096 bytes',
    );
    expect(first(bodyOf(entry, { action: '\u0000', nonce: long }))).toBe('nonce must be at most 4096 bytes');
  });
});

describe('JSON bodies', () => {
  it.each([
    ['empty', Buffer.alloc(0)],
    ['cut', Buffer.from('{"action":"a"')],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['compressed', Buffer.from([0x1f, 0x8b, 0x08, 0])],
    ['two values', Buffer.from('{}{}')],
  ])('are refused as invalid JSON: %s', (_name, body) => {
    expect(refusal(body).code).toBe('verify.invalid_json');
  });

  it('may be preceded by a BOM', () => {
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(bodyOf(entry))]);
    expect(parse(body).action).toBe(entry.action);
  });
});

describe('valid requests', () => {
  it('get defaults, and no other fields', () => {
    const request = parseBody({
      responses: [itemOf(entry, { signal_hash: undefined, identifier: 'selfie' })],
    });
    expect(request).toEqual({
      protocol: '3.0',
      kind: 'uniqueness',
      action: 'testing',
      actionDescription: '',
      environment: 'production',
      items: [
        {
          identifier: 'selfie',
          tree: 'face',
          nullifier: entry.nullifier_hash,
          maxAgeSeconds: 604_800,
          statement: { bytes: expect.any(Uint8Array) },
        },
      ],
      bundledBody: undefined,
    });
    const [item] = request.items;
    if (item === undefined || item.statement.code !== undefined) throw new Error('expected a decoded item');
    const { bytes } = item.statement;
    expect(bytes.length).toBe(384);
    expect(toHex(bytes.subarray(0, 256))).toBe(entry.proof);
    const words = [entry.merkle_root, entry.nullifier_hash, EMPTY_SIGNAL_HASH].map((word) => word.slice(2));
    expect(toHex(bytes.subarray(256, 352))).toBe(`0x${words.join('')}`);
  });

  it('may have a number or a boolean as action_description', () => {
    expect(parseBody({ action_description: 5 }).actionDescription).toBe('5');
    expect(parseBody({ action_description: false }).actionDescription).toBe('false');
    expect(parseBody({ action_description: '' }).actionDescription).toBe('');
  });

  it('may have unknown fields, and an integrity_bundle is noted', () => {
    const changes = { integrity_bundle: { any: 1 }, extra: null, session_id: '' };
    expect(parseBody(changes).bundledBody).toEqual(bodyOf(entry, changes));
  });

  it('may reach the bounds of max_age, 64 items and texts of exactly 4,096 bytes', () => {
    const items = new Array(64).fill(itemOf(entry, { max_age: 3600 }));
    items[63] = itemOf(entry, { max_age: 604_800 });
    const request = parseBody({ responses: items, action: 'é'.repeat(2048), nonce: 'x'.repeat(4096) });
    expect(request.items.map((item) => item.maxAgeSeconds)).toEqual([...new Array(63).fill(3600), 604_800]);
  });

  it('may have paired surrogates', () => {
    expect(parseBody({ action: '😀' }).action).toBe('😀');
  });
});

describe('3.0 requests while World ID 4.0 is enabled', () => {
  const parseBoth = createRequestParser(64, RULES4);
  const outcome = (body: Uint8Array, parser = parseBoth): unknown => {
    try {
      const request = parser(body);
      // the verifier writes the last word
      for (const { statement } of request.items)
        if (statement.code === undefined) statement.bytes.fill(0, 352);
      return request;
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return [error.code, error.message, error.details.path];
    }
  };
  const isOther = ({ protocol_version: version, session_id: session }: Fields): boolean =>
    version === '4.0' || (version === '3.0' && Boolean(session));

  it.each(SCHEMA_ROWS.filter(({ body }) => !isOther((body ?? {}) as Fields)))(
    'are refused alike: $name',
    (row) => {
      expect(outcome(bytes(row.body))).toEqual(outcome(bytes(row.body), parse));
      expect(outcome(bytes(row.body))).toEqual(['verify.schema', row.detail, row.attribute]);
    },
  );

  it.each([{}, { min_protocol_version: '3.0' }, { session_id: '' }])('are read alike with %j', (changes) => {
    const body = bytes(bodyOf(entry, changes));
    expect(outcome(body)).toEqual(outcome(body, parse));
    expect(outcome(body)).toMatchObject({ protocol: '3.0' });
  });

  it.each([{ session_id: 'x' }, { session_id: 'x', action: undefined }])(
    'with a session are told the version that has sessions: %j',
    (changes) => {
      expect(outcome(bytes(bodyOf(entry, changes)))).toEqual([
        'verify.schema',
        'session proofs require protocol_version 4.0',
        'protocol_version',
      ]);
    },
  );

  it('are refused if the relying party accepts 4.0 only, usual or not, after the schema', () => {
    for (const parser of [parseBoth, parse]) {
      for (const changes of [{}, { action_description: 5 }]) {
        const body = bodyOf(entry, { min_protocol_version: '4.0', ...changes });
        const refused = expect.objectContaining({ code: 'verify.protocol_version_not_allowed' });
        expect(() => parser(bytes(body))).toThrow(refused);
      }
      const bad = bodyOf(entry, { min_protocol_version: '4.0', nonce: '' });
      expect(outcome(bytes(bad), parser)).toEqual(['verify.schema', 'nonce is required', 'nonce']);
    }
  });

  it.each([4, '4', 'v4', '5.0', '4.0 ', '', true, ['4.0'], {}])(
    'are refused if the lowest version is %j, which is none',
    (floor) => {
      const message = 'min_protocol_version must be one of the following values: 3.0, 4.0';
      for (const parser of [parseBoth, parse]) {
        const refused = ['verify.schema', message, 'min_protocol_version'];
        expect(outcome(bytes(bodyOf(entry, { min_protocol_version: floor })), parser)).toEqual(refused);
      }
    },
  );

  it('of the environment sandbox are refused, after the schema, unless it is mapped to staging', () => {
    const body = bytes(bodyOf(entry, { environment: 'sandbox' }));
    const mapping = createRequestParser(64, RULES4, undefined, true);
    expect(outcome(body)).toMatchObject({ 0: 'policy.sandbox_refused' });
    expect(outcome(body, mapping)).toMatchObject({ environment: 'staging' });
    const bad = bytes(bodyOf(entry, { environment: 'sandbox', nonce: '' }));
    expect(outcome(bad)).toMatchObject({ 0: 'verify.schema', 1: 'nonce is required' });
  });
});
