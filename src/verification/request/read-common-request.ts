import { IDENTIFIERS, type Identifier } from '../../membership/roots/trees.ts';
import { AsciiJson } from './ascii-json.ts';
import {
  DEFAULT_SIGNAL_HASH,
  MAX_MAX_AGE_SECONDS,
  MIN_MAX_AGE_SECONDS,
  PROTOCOL_VERSION,
  TEXT_LIMIT_BYTES,
} from './request-schema.ts';
import { type RequestItem, STATEMENT_BYTES, type VerifyRequest, WORD_AT } from './request-types.ts';

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

// One bit for each member, to find those that are missing or came twice.
const VERSION = 1;
const NONCE = 2;
const ACTION = 4;
const RESPONSES = 8;
const DESCRIPTION = 16;
const ENVIRONMENT = 32;
const REQUIRED = VERSION | NONCE | ACTION | RESPONSES;

const IDENTIFIER = 1;
const ROOT = 2;
const NULLIFIER = 4;
const PROOF = 8;
const SIGNAL_HASH = 16;
const MAX_AGE = 32;
const REQUIRED_OF_ITEM = IDENTIFIER | ROOT | NULLIFIER | PROOF;

const PROOF_BYTES = 256;

/**
 * Makes the quick reader of request bodies: it decodes the hex words of a request straight from the bytes of the body,
 * for the shape that nearly all requests have. What it does not know (another member or a doubled one, an escape, a
 * character that is not ASCII, a proof that is not plain hex) and whatever breaks a rule it leaves to the reader that
 * knows all of JSON and has the messages; it never decides differently (test: read-common-request.test.ts).
 *
 * @param maxResponses - Items a request may have.
 * @returns A function that gives undefined for a body that is not of that shape; it keeps nothing of the bytes.
 */
export function createCommonReader(maxResponses: number): (body: Uint8Array) => VerifyRequest | undefined {
  const json = new AsciiJson();
  // what one relying party asks for is mostly what it asked for before
  let lastAction = '';
  let lastDescription = '';

  return (body) => {
    json.begin(body);
    const request = readRequest();
    json.finish();
    return request;
  };

  function readRequest(): VerifyRequest | undefined {
    let seen = 0;
    let action = '';
    let actionDescription = '';
    let environment: VerifyRequest['environment'] = 'production';
    let items: readonly RequestItem[] | undefined;
    if (!json.take(OPEN_OBJECT)) return undefined;
    do {
      const member = json.string() ? memberOf(json) : 0;
      if (member === 0 || (seen & member) !== 0 || !json.take(COLON)) return undefined;
      seen |= member;
      if (member === RESPONSES) {
        items = readItems();
        if (items === undefined) return undefined;
        continue;
      }
      if (!json.string() || json.end - json.start > TEXT_LIMIT_BYTES) return undefined;
      if (member === DESCRIPTION) actionDescription = json.text(lastDescription);
      else if (json.start === json.end) return undefined;
      else if (member === ACTION) action = json.text(lastAction);
      else if (member === VERSION && !json.is(PROTOCOL_VERSION)) return undefined;
      else if (member === ENVIRONMENT) {
        if (json.is('staging')) environment = 'staging';
        else if (!json.is('production')) return undefined;
      }
    } while (json.take(COMMA));
    if (!json.take(CLOSE_OBJECT) || !json.isAtEnd()) return undefined;
    if ((seen & REQUIRED) !== REQUIRED || items === undefined) return undefined;
    lastAction = action;
    lastDescription = actionDescription;
    return { action, actionDescription, environment, items, hasIntegrityBundle: false };
  }

  function readItems(): readonly RequestItem[] | undefined {
    if (!json.take(OPEN_ARRAY)) return undefined;
    const items: RequestItem[] = [];
    do {
      const item = items.length < maxResponses ? readItem() : undefined;
      if (item === undefined) return undefined;
      items.push(item);
    } while (json.take(COMMA));
    return json.take(CLOSE_ARRAY) ? items : undefined;
  }

  function readItem(): RequestItem | undefined {
    let seen = 0;
    let identifier: Identifier | undefined;
    let nullifier = '';
    let maxAgeSeconds: number | undefined = MAX_MAX_AGE_SECONDS;
    const bytes = Buffer.allocUnsafe(STATEMENT_BYTES);
    if (!json.take(OPEN_OBJECT)) return undefined;
    do {
      const member = json.string() ? memberOfItem(json) : 0;
      if (member === 0 || (seen & member) !== 0 || !json.take(COLON)) return undefined;
      seen |= member;
      if (member === PROOF) {
        if (!json.hex(PROOF_BYTES, bytes)) return undefined;
      } else if (member === NULLIFIER) {
        if (!json.word('optional', bytes, WORD_AT.nullifier)) return undefined;
        nullifier = json.text();
      } else if (member === ROOT) {
        if (!json.word('optional', bytes, WORD_AT.root)) return undefined;
      } else if (member === SIGNAL_HASH) {
        if (!json.word('required', bytes, WORD_AT.signalHash)) return undefined;
      } else if (member === IDENTIFIER) {
        identifier = json.string() ? identifierOf(json) : undefined;
        if (identifier === undefined) return undefined;
      } else {
        maxAgeSeconds = json.number();
        if (maxAgeSeconds === undefined) return undefined;
        if (maxAgeSeconds < MIN_MAX_AGE_SECONDS || maxAgeSeconds > MAX_MAX_AGE_SECONDS) return undefined;
      }
    } while (json.take(COMMA));
    if (!json.take(CLOSE_OBJECT) || identifier === undefined) return undefined;
    if ((seen & REQUIRED_OF_ITEM) !== REQUIRED_OF_ITEM) return undefined;
    if ((seen & SIGNAL_HASH) === 0) bytes.set(DEFAULT_SIGNAL_HASH, WORD_AT.signalHash);
    return { identifier, nullifier, maxAgeSeconds, statement: { bytes } };
  }
}

/** The bit of a member of the request by its name, which is the last string; 0 for none. */
function memberOf(json: AsciiJson): number {
  switch (json.end - json.start) {
    case 5:
      return json.is('nonce') ? NONCE : 0;
    case 6:
      return json.is('action') ? ACTION : 0;
    case 9:
      return json.is('responses') ? RESPONSES : 0;
    case 11:
      return json.is('environment') ? ENVIRONMENT : 0;
    case 16:
      return json.is('protocol_version') ? VERSION : 0;
    case 18:
      return json.is('action_description') ? DESCRIPTION : 0;
    default:
      return 0;
  }
}

/** The same of an item. */
function memberOfItem(json: AsciiJson): number {
  switch (json.end - json.start) {
    case 5:
      return json.is('proof') ? PROOF : 0;
    case 7:
      return json.is('max_age') ? MAX_AGE : 0;
    case 9:
      return json.is('nullifier') ? NULLIFIER : 0;
    case 10:
      return json.is('identifier') ? IDENTIFIER : 0;
    case 11:
      return json.is('merkle_root') ? ROOT : json.is('signal_hash') ? SIGNAL_HASH : 0;
    default:
      return 0;
  }
}

function identifierOf(json: AsciiJson): Identifier | undefined {
  for (const identifier of IDENTIFIERS) if (json.is(identifier)) return identifier;
  return undefined;
}
