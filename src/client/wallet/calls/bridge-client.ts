import { encodeUtf8, fromBase64, toBase64 } from '../../../bytes.ts';
import { isObject, parseJson } from '../../../json.ts';
import { call, explain, WalletError } from './call.ts';

/** Location and key of a sign-in request (spec/sign-in.md#connect-url). */
export interface ConnectRequest {
  readonly requestId: string;
  /** AES-256 key, 32 bytes; never leaves the browser. */
  readonly key: Uint8Array<ArrayBuffer>;
  /** Address of the bridge, without a trailing slash. */
  readonly bridge: string;
  /** Where the app wants the person back, as it stands in the link. */
  readonly returnTo?: string;
}

/** Bridge of a link without one. */
export const DEFAULT_BRIDGE = 'https://bridge.worldcoin.org';

const REQUEST_ID = /^[A-Za-z0-9._-]{16,256}$/;

/**
 * Reads a connect link: its members are in the fragment, in the query, or are the whole text. Unknown members are
 * ignored.
 *
 * @returns undefined if the text contains no request, such as the plain address of the wallet page.
 * @throws WalletError `link` if the request is malformed.
 */
export function parseConnectLink(text: string): ConnectRequest | undefined {
  const members = partsOf(text.trim())
    .map((part) => new URLSearchParams(part))
    .find((part) => part.has('t') || part.has('i') || part.has('k'));
  if (!members) return undefined;
  const kind = members.get('t');
  if (kind !== 'wld') throw broken(`its kind t is ${kind === null ? 'missing' : 'not "wld"'}`);
  const requestId = members.get('i') ?? '';
  if (!REQUEST_ID.test(requestId)) {
    throw broken('its request id i must be 16 to 256 letters, digits, dots, hyphens or underscores');
  }
  // An unencoded + of base64 reads as a space in a query.
  const key = fromBase64((members.get('k') ?? '').replaceAll(' ', '+'));
  if (key?.length !== 32) throw broken('its key k must be 32 bytes in base64');
  const returnTo = members.get('return_to');
  return { requestId, key, bridge: bridgeOf(members.get('b')), ...(returnTo === null ? {} : { returnTo }) };
}

// The fragment takes precedence: links to a wallet page of the same service use it, and it is not sent to servers.
function partsOf(text: string): string[] {
  const [address = '', ...fragments] = text.split('#');
  const query = address.split('?').slice(1).join('?');
  const isAddress = address.includes('?') || fragments.length > 0;
  return isAddress ? [fragments.join('#'), query] : [address];
}

function bridgeOf(text: string | null): string {
  if (text === null || text === '') return DEFAULT_BRIDGE;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb) throw broken('its bridge address b must begin with https:// or http://');
  if (url.username || url.password || url.search || url.hash) {
    throw broken('its bridge address b must hold no name, password, query or fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function broken(reason: string): WalletError {
  return new WalletError('link', `This sign-in link cannot be used: ${reason}.`);
}

/** A message in the form of the bridge: both members in standard base64 with padding. */
export interface SealedMessage {
  readonly iv: string;
  readonly payload: string;
}

const IV_BYTES = 12;

/**
 * Encrypts a JSON value with AES-256-GCM under a fresh IV (spec/sign-in.md#encryption); the tag follows the
 * ciphertext.
 *
 * @param key - 32 bytes.
 */
export async function seal(key: Uint8Array<ArrayBuffer>, value: unknown): Promise<SealedMessage> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plaintext = encodeUtf8(JSON.stringify(value));
  const cipher = { name: 'AES-GCM', iv };
  const payload = await crypto.subtle.encrypt(cipher, await importKey(key, 'encrypt'), plaintext);
  return { iv: toBase64(iv), payload: toBase64(new Uint8Array(payload)) };
}

/**
 * Decrypts a message and parses its JSON value.
 *
 * @throws WalletError `key` if it was not sealed under this key or is not JSON.
 */
export async function unseal(key: Uint8Array<ArrayBuffer>, message: SealedMessage): Promise<unknown> {
  const iv = fromBase64(message.iv);
  const payload = fromBase64(message.payload);
  if (iv?.length !== IV_BYTES || !payload) throw unreadable();
  try {
    const cipher = { name: 'AES-GCM', iv };
    const plaintext = await crypto.subtle.decrypt(cipher, await importKey(key, 'decrypt'), payload);
    return parseJson(plaintext);
  } catch (cause) {
    throw unreadable(cause);
  }
}

async function importKey(key: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return await crypto.subtle.importKey('raw', key, 'AES-GCM', false, [use]);
}

function unreadable(cause?: unknown): WalletError {
  const text = 'The request could not be decrypted: the key in the link is not the key it was made with.';
  return new WalletError('key', text, { cause });
}

/**
 * Takes the request from the bridge, which returns it once (spec/sign-in.md#bridge-calls).
 *
 * @throws WalletError `gone`, `answer`, `network`
 */
export async function takeRequest({ bridge, requestId }: ConnectRequest): Promise<SealedMessage> {
  const answer = await call('GET', `${bridge}/request/${encodeURIComponent(requestId)}`);
  const { status, body } = answer;
  if (status === 404) {
    const text = 'This sign-in request is no longer there: it expired, or a wallet has already opened it.';
    throw new WalletError('gone', `${text} Go back to the app and start again.`);
  }
  const { iv, payload } = isObject(body) ? body : {};
  if (status !== 200 || typeof iv !== 'string' || typeof payload !== 'string') {
    throw new WalletError('answer', `The bridge did not give the request ${explain(answer)}.`);
  }
  return { iv, payload };
}

/**
 * Puts the sealed answer on the bridge.
 *
 * @throws WalletError `over`, `answer`, `network`
 */
export async function putAnswer(
  { bridge, requestId }: ConnectRequest,
  { iv, payload }: SealedMessage,
): Promise<void> {
  const address = `${bridge}/response/${encodeURIComponent(requestId)}`;
  const answer = await call('PUT', address, { iv, payload });
  if (answer.status === 400 || answer.status === 409) {
    const text = 'The bridge takes no answer to this request any more: it expired or was already answered.';
    throw new WalletError('over', `${text} Go back to the app and start again.`);
  }
  if (answer.status !== 201) {
    throw new WalletError('answer', `The bridge did not take the answer ${explain(answer)}.`);
  }
}
