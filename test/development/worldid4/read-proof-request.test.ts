import { describe, expect, it } from 'vitest';
import {
  type Constraint,
  readProofRequest,
  satisfy,
  WalletRefusal,
} from '../../../src/development/worldid4/read-proof-request.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { WalletKind } from '../../../src/pages.ts';
import { SCALAR_ORDER } from '../../../src/semaphore/words.ts';
import { FORMS, itemFor, proofRequest } from '../support/proof-request.ts';

const NOW = 1_780_000_000_000;
const RP_ID = 'rp_0234567890abcdef';
const SESSION = `session_${'0a'.repeat(32)}01${'0b'.repeat(31)}`;
const TOO_LARGE = `0x${SCALAR_ORDER.toString(16).padStart(64, '0')}`;

const make = (change: JsonObject): JsonObject => proofRequest(RP_ID, NOW, change);
const item = (change: JsonObject): JsonObject => ({ proof_requests: [itemFor('proof_of_human', 1, change)] });

function refusalOf(value: unknown, wallet: WalletKind = 'new'): WalletRefusal {
  try {
    readProofRequest(value, wallet);
  } catch (error) {
    if (error instanceof WalletRefusal) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('a World ID 4.0 request', () => {
  const UNBOUND = { proof_type: undefined, session_id: undefined };
  const PROVE = { proof_type: 'session', session_id: SESSION, action: undefined };
  it.each<[WalletKind, string, JsonObject]>([
    ['new', 'uniqueness', FORMS.uniqueness],
    ['new', 'uniqueness', UNBOUND],
    ['new', 'bound', FORMS.bound],
    ['new', 'create-session', FORMS['session create']],
    ['new', 'prove-session', PROVE],
    ['old', 'uniqueness', FORMS.uniqueness],
    ['old', 'uniqueness', UNBOUND],
    ['old', 'create-session', FORMS.create_session],
    ['old', 'prove-session', PROVE],
  ])('is for a %s wallet of the kind %s: %j', (wallet, kind, form) => {
    const request = readProofRequest(make(form), wallet);
    expect(request).toMatchObject({
      kind,
      rpId: RP_ID,
      sessionId: kind === 'prove-session' ? SESSION : undefined,
    });
    expect(request.action === undefined).toBe(kind.endsWith('session'));
  });

  it.each<[WalletKind, JsonObject]>([
    ['new', FORMS.create_session],
    ['old', FORMS['session create']],
    ['old', FORMS.bound],
  ])('cannot be read by a %s wallet in the form of the other kind: %j', (wallet, form) => {
    expect(refusalOf(make(form), wallet)).toMatchObject({
      errorCode: 'malformed_request',
      message: expect.stringContaining('proof_type, session_id: expected '),
    });
  });

  it.each<[string, JsonObject]>([
    ['proof_request: expected no member "salt"', { salt: '1' }],
    ['proof_requests: expected no member "future"', item({ future: true })],
  ])('has members that a new wallet ignores and an old one refuses: %s', (message, change) => {
    expect(readProofRequest(make(change), 'new').credentials).toHaveLength(1);
    expect(refusalOf(make(change), 'old')).toMatchObject({ errorCode: 'malformed_request', message });
  });

  it('has nothing that an old wallet does not know in the form of IDKit', () => {
    const items = [itemFor('proof_of_human', 1, { signal: '0x01', expires_at_min: 7 })];
    const request = make({ proof_requests: items, constraints: { any: ['proof_of_human'] } });
    expect(readProofRequest(request, 'old')).toEqual(readProofRequest(request, 'new'));
  });

  it('defaults the expiration of a credential to the time of the request, and has raw signals', () => {
    const { credentials } = readProofRequest(make(item({ signal: '0x', genesis_issued_at_min: 5 })), 'new');
    expect(credentials).toEqual([
      {
        identifier: 'proof_of_human',
        issuerSchemaId: 1,
        signal: Buffer.alloc(0),
        expiresAtMin: NOW / 1000,
        genesisIssuedAtMin: 5,
      },
    ]);
    const given = readProofRequest(make(item({ signal: '0x0102', expires_at_min: 7 })), 'new').credentials[0];
    expect(given).toMatchObject({ signal: Buffer.of(1, 2), expiresAtMin: 7, genesisIssuedAtMin: undefined });
    expect(readProofRequest(make({}), 'new').credentials[0]?.signal).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['id', { id: '' }],
    ['version', { version: 2 }],
    ['rp_id', { rp_id: 'rp_0234567890ABCDEF' }],
    ['oprf_key_id', { oprf_key_id: '0x1' }],
    ['created_at', { created_at: '1' }],
    ['expires_at', { expires_at: 1.5 }],
    ['signature', { signature: '0xab' }],
    ['nonce', { nonce: '0x01' }],
    ['nonce', { nonce: TOO_LARGE }],
    ['action', { action: null }],
    ['action', { action: `0x01${'00'.repeat(31)}` }],
    ['action', { ...FORMS['session create'], action: `0x${'00'.repeat(32)}` }],
    ['proof_type, session_id', { proof_type: 'ownership' }],
    ['proof_type, session_id', { proof_type: 'uniqueness', session_id: SESSION }],
    ['proof_type, session_id', { proof_type: 'session', session_id: null, action: null }],
    ['proof_type, session_id', { ...FORMS.create_session, session_id: 'create' }],
    ['session_id', { proof_type: 'session', session_id: SESSION.slice(0, -2), action: null }],
    ['session_id', { proof_type: 'session', session_id: SESSION.replace('a01', 'a02'), action: null }],
    ['session_id', { proof_type: 'session', session_id: SESSION.replaceAll('0a', 'ff'), action: null }],
    ['proof_requests', { proof_requests: [] }],
    ['proof_requests', { proof_requests: ['proof_of_human'] }],
    ['proof_requests', { proof_requests: Array.from({ length: 17 }, (_, at) => itemFor(`c${at}`, at)) }],
    ['proof_requests', { proof_requests: [itemFor('a', 1), itemFor('b', 1)] }],
    ['proof_requests', { proof_requests: [itemFor('a', 1), itemFor('a', 2)] }],
    ['identifier', item({ identifier: 1 })],
    ['issuer_schema_id', item({ issuer_schema_id: '1' })],
    ['signal', item({ signal: 'vote' })],
    ['signal', item({ signal: '0x012' })],
    ['expires_at_min', item({ expires_at_min: -1 })],
    ['genesis_issued_at_min', item({ genesis_issued_at_min: '1' })],
    ['constraints', { constraints: 'proof_of_human' }],
    ['constraints', { constraints: { any: ['passport'] } }],
    ['constraints', { constraints: { none: ['proof_of_human'] } }],
    ['constraints', { constraints: { any: [] } }],
    ['constraints', { constraints: { any: ['proof_of_human'], all: ['proof_of_human'] } }],
    ['constraints', { constraints: { any: [{ all: [{ any: ['proof_of_human'] }] }] } }],
    ['constraints', { constraints: { any: Array.from({ length: 12 }, () => 'proof_of_human') } }],
  ])('is malformed by its %s: %j', (member, change) => {
    const { errorCode, message } = refusalOf(make(change));
    expect(errorCode).toBe('malformed_request');
    expect(message.startsWith(`${member}: expected `), message).toBe(true);
  });

  it.each([[null], [[]], ['text']])('is malformed as %j', (value) => {
    expect(refusalOf(value).message).toBe('proof_request: expected an object');
  });

  it('may have 11 alternatives of two levels', () => {
    const constraints = { any: [{ all: Array.from({ length: 10 }, () => 'proof_of_human') }] };
    expect(readProofRequest(make({ constraints }), 'new').constraint).toEqual(constraints);
  });
});

describe('constraints', () => {
  it.each<[Constraint, string, string[] | undefined]>([
    ['a', 'a', ['a']],
    ['a', 'b', undefined],
    [{ any: ['a', 'b'] }, 'ab', ['a']],
    [{ any: ['a', 'b'] }, 'b', ['b']],
    [{ any: ['a', 'b'] }, 'c', undefined],
    [{ all: ['a', 'b'] }, 'ab', ['a', 'b']],
    [{ all: ['a', 'b'] }, 'a', undefined],
    [{ enumerate: ['a', 'b', 'c'] }, 'ac', ['a', 'c']],
    [{ enumerate: ['a', 'b'] }, '', undefined],
    [{ all: ['a', { any: ['b', 'c'] }] }, 'ac', ['a', 'c']],
    [{ any: [{ all: ['a', 'b'] }, 'c'] }, 'ac', ['c']],
  ])('%j with the credentials "%s"', (constraint, held, chosen) => {
    expect(satisfy(constraint, (identifier) => held.includes(identifier))).toEqual(chosen);
  });
});
