/**
 * Named rules for the values that differ from run to run. Each rule finds its values by their context and
 * checks their form; everything that no rule replaces is compared byte for byte.
 */
import { createHash } from 'node:crypto';

/** Context of a replacement in addition to the text. */
export interface RuleContext {
  /** Status code of the answer. */
  readonly status: string;
  /** Replaces the values of variables by their names. */
  readonly hide: (text: string) => string;
}

/** Replaces one kind of value. */
export interface Rule {
  readonly name: string;
  readonly part: 'header' | 'body';
  /** The first group is the value to replace. */
  readonly pattern: RegExp;
  /** Returns false, or throws, if the value does not have the form of its kind. */
  readonly isValid?: (value: string, context: RuleContext) => boolean;
  /** Returns the replacement of the value; default: the name of the rule. */
  readonly replace?: (value: string, context: RuleContext) => string;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const LONGEST_SKEW_MS = 60_000;
const SECONDS_OF_A_MINUTE = 60;

/** The rules, in the order in which they are applied. */
export const RULES: readonly Rule[] = [
  {
    name: 'date',
    part: 'header',
    pattern: new RegExp(
      `^Date: ((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} (?:${MONTHS}) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT)$`,
      'g',
    ),
    isValid: (value) => Math.abs(Date.parse(value) - Date.now()) < LONGEST_SKEW_MS,
  },
  {
    name: 'retry-after-seconds',
    part: 'header',
    pattern: /^Retry-After: (\d{1,2})$/g,
    isValid: (value) => Number(value) >= 1 && Number(value) <= SECONDS_OF_A_MINUTE,
    // Other answers have a constant, which is compared.
    replace: (value, { status }) => (status === '429' ? '<retry-after-seconds>' : value),
  },
  { name: 'nonce', part: 'header', pattern: /^DPoP-Nonce: ([A-Za-z0-9_-]{22})$/g },
  { name: 'txn', part: 'header', pattern: /^Location: \S*\/authorize\/([A-Za-z0-9_-]{43})$/g },
  {
    name: 'cookie',
    part: 'header',
    pattern: /^Set-Cookie: __Host-pg_txn_([A-Za-z0-9_-]{16}=[A-Za-z0-9_-]{43});/g,
  },
  { name: 'code', part: 'header', pattern: /^Location: \S*[?&#]code=([A-Za-z0-9_-]{43})(?=&|$)/g },
  { name: 'code', part: 'body', pattern: /[?&#]code=([A-Za-z0-9_-]{43})(?=[&"])/g },
  { name: 'code', part: 'body', pattern: /name="code" value="([A-Za-z0-9_-]{43})"/g },
  {
    name: 'reference',
    part: 'body',
    pattern: /"request_uri":"urn:ietf:params:oauth:request_uri:([A-Za-z0-9_-]{43})"/g,
  },
  { name: 'challenge', part: 'body', pattern: /"challenge":"0x([0-9a-f]{64})"/g },
  { name: 'file-tag', part: 'header', pattern: /^ETag: "[0-9a-f]+-([0-9a-f]{14,16})"$/g },
  {
    name: 'jwt',
    part: 'body',
    pattern: /(eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)/g,
    replace: describeJwt,
  },
  {
    name: 'jwt',
    part: 'header',
    pattern: /(eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)/g,
    replace: describeJwt,
  },
  { name: 'signing-key', part: 'body', pattern: /("kty":"RSA".*?)\}/g, replace: describeSigningKey },
  {
    name: 'credential',
    part: 'body',
    pattern: /"credential":"([A-Za-z0-9+/]+={0,2})"/g,
    replace: describeCredential,
  },
  { name: 'connect-id', part: 'body', pattern: new RegExp(`(?:[?&#]|&amp;)i=(${UUID})(?=&)`, 'g') },
  {
    name: 'connect-key',
    part: 'body',
    pattern: /(?:[?&#]|&amp;)k=([A-Za-z0-9%]+)(?=&)/g,
    isValid: (value) => Buffer.from(decodeURIComponent(value), 'base64').length === 32,
  },
  { name: 'qr-size', part: 'body', pattern: /viewBox="0 0 (\d+ \d+)" shape-rendering/g, isValid: isQrSize },
  // Keys differ in length once they are percent-encoded, so that a code may be one size larger.
  { name: 'qr-ground', part: 'body', pattern: /<path fill="#ffffff" d="(M0 0h\d+v\d+H0z)"/g },
  { name: 'qr-drawing', part: 'body', pattern: /id="qr-drawing" stroke="#000000" d="([MmhHvVz0-9. -]+)"/g },
  { name: 'sealed-iv', part: 'body', pattern: /"iv":"([A-Za-z0-9+/]{16})"/g },
  {
    name: 'sealed-payload',
    part: 'body',
    pattern: /"payload":"([A-Za-z0-9+/]{24,}={0,2})"/g,
    replace: (value) => `<sealed-payload of ${Buffer.from(value, 'base64').length} bytes>`,
  },
  { name: 'asset-version', part: 'body', pattern: /\/assets\/[a-z-]+\.([0-9a-f]{16})\.[a-z]+/g },
  { name: 'signing-key-id', part: 'body', pattern: /"keys":\{[^}]*"detail":"([A-Za-z0-9_-]{43}) /g },
  { name: 'arithmetic', part: 'body', pattern: /"engine":\{[^}]*"detail":"((?:native|wasm)-[a-z0-9-]+)"/g },
  {
    name: 'wait-seconds',
    part: 'body',
    pattern: /<meta http-equiv="refresh" content="(\d\d?)">/g,
    isValid: isWait,
    replace: inWait,
  },
  { name: 'wait-seconds', part: 'body', pattern: /&quot;seconds&quot;:(\d\d?),/g, isValid: isWait },
  { name: 'wait-text', part: 'body', pattern: /<b id="wait-left">([^<>]{1,32})<\/b>/g },
  { name: 'check-age', part: 'body', pattern: /"ageMs":(\d+)/g },
  { name: 'uuid', part: 'body', pattern: new RegExp(`\\b(${UUID})\\b`, 'g') },
];

/** Applies the rules of one part to a text. */
export function applyRules(part: Rule['part'], text: string, context: RuleContext): string {
  let result = text;
  for (const { name, pattern, isValid, replace, ...rule } of RULES) {
    if (rule.part !== part) continue;
    result = result.replace(pattern, (match: string, value: string) => {
      if (isValid?.(value, context) === false)
        throw new Error(`rule ${name}: ${value} does not have the expected form`);
      const from = match.lastIndexOf(value);
      const replacement = replace?.(value, context) ?? `<${name}>`;
      return match.slice(0, from) + replacement + match.slice(from + value.length);
    });
  }
  return result;
}

/** Whether a wait is in range: a page reloads one second after the wait that it shows. */
function isWait(value: string): boolean {
  return Number(value) >= 1 && Number(value) <= SECONDS_OF_A_MINUTE + 1;
}

/** Replaces the wait only in answers of the rate limit: pages of sign-ins reload after a constant time. */
function inWait(value: string, { status }: RuleContext): string {
  return status === '429' ? '<wait-seconds>' : value;
}

const RS256_SIGNATURE_BYTES = 256;
const HALF_SHA256_BYTES = 16;

/** Shows header and claims of a token; checks and replaces its random values. */
function describeJwt(token: string, { hide }: RuleContext): string {
  const [head = '', claims = '', signature = ''] = token.split('.');
  if (Buffer.from(signature, 'base64url').length !== RS256_SIGNATURE_BYTES)
    throw new Error(`rule jwt: expected a signature of ${RS256_SIGNATURE_BYTES} bytes`);
  const text = (part: string): string => Buffer.from(part, 'base64url').toString();
  const hidden = (json: string): string =>
    hide(json)
      .replace(/("kid":)"[A-Za-z0-9_-]{43}"/, '$1"<key-id>"')
      .replace(new RegExp(`("jti":)"${UUID}"`), '$1"<uuid>"')
      .replace(/("(?:at|c)_hash":)"([A-Za-z0-9_-]{22})"/g, (_, name: string, value: string) => {
        if (Buffer.from(value, 'base64url').length !== HALF_SHA256_BYTES)
          throw new Error('rule jwt: expected a half hash');
        return `${name}"<half-hash>"`;
      });
  return `<jwt ${hidden(text(head))} ${hidden(text(claims))}>`;
}

/** Shows a key of the key set; checks its id, a thumbprint (RFC 7638), and its modulus of 2,048 bits. */
function describeSigningKey(members: string): string {
  const key = JSON.parse(`{${members}}`) as Readonly<Record<string, string>>;
  const { kid = '', n = '', e = '' } = key;
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  if (kid !== thumbprint) throw new Error(`rule signing-key: expected the id ${thumbprint}, got ${kid}`);
  if (Buffer.from(n, 'base64url').length !== RS256_SIGNATURE_BYTES)
    throw new Error(`rule signing-key: expected a modulus of ${RS256_SIGNATURE_BYTES} bytes`);
  return members.replace(kid, '<key-id>').replace(n, '<modulus>');
}

/** Shows the document of a credential; replaces its id and signature. */
function describeCredential(base64: string): string {
  const text = Buffer.from(base64, 'base64').toString();
  if (Buffer.from(text).toString('base64') !== base64)
    throw new Error('rule credential: expected base64 of UTF-8');
  const document = text
    .replace(/("id":"?)\d{1,20}\b/, '$1<u64>')
    .replace(/("signature":)"[0-9a-zA-Z+/=]{86,}"/, '$1"<signature>"');
  return `<credential ${document}>`;
}

const QR_LEAST_MODULES = 21;
const QR_STEP = 4;
const QR_QUIET_MODULES = 8;

function isQrSize(value: string): boolean {
  const [width, height] = value.split(' ').map(Number);
  return width === height && (Number(width) - QR_QUIET_MODULES - QR_LEAST_MODULES) % QR_STEP === 0;
}
