import { fromBase64 } from '../../../bytes.ts';
import { WalletError } from './wallet-error.ts';

/** Location and key of a sign-in request (spec/sign-in.md#connect-url). */
export interface ConnectRequest {
  readonly requestId: string;
  /** AES-256 key, 32 bytes; never leaves the browser. */
  readonly key: Uint8Array<ArrayBuffer>;
  /** Address of the bridge, without a trailing slash. */
  readonly bridge: string;
}

/** Bridge of a link that names none. */
export const DEFAULT_BRIDGE = 'https://bridge.worldcoin.org';

const REQUEST_ID = /^[A-Za-z0-9._-]{16,256}$/;

/**
 * Reads a connect link: its members are in the fragment, in the query, or are the whole text. Unknown members
 * are ignored.
 *
 * @returns undefined if the text has no request at all, such as the plain address of the wallet page.
 * @throws WalletError `link` if it has a malformed one.
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
  return { requestId, key, bridge: bridgeOf(members.get('b')) };
}

// The fragment takes precedence: links to a wallet page of the same service use it, and no server sees it.
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
