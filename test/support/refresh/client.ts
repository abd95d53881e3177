/** A wallet that requests credentials: makes complete requests that a test can change, and reads answers. */
import { toHex } from '../../../src/semaphore/hex.ts';
import { createHeaderMaker, type HeaderMaker, type HeaderOptions, type TestHolder } from './holder.ts';

/** Parts of a form by name, in order. */
export type FormFields = Readonly<Record<string, string | Uint8Array>>;

/** A request before it is sent; each member can be replaced. */
export interface RefreshCall {
  /** Raw query without `?`. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: FormFields;
}

/** An answer of `POST /api/v1/refresh`. */
export interface RefreshAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: RefreshBody;
  /** The JSON text of the credential; undefined without one. */
  readonly credential: string | undefined;
}

/** Body of an answer (spec/refresh.md#responses). */
export interface RefreshBody {
  readonly success: boolean;
  readonly message: string;
  readonly error?: string;
  readonly credential?: string;
}

/** Options of a request. */
export interface RefreshCallOptions extends HeaderOptions {
  /** The 19 parts of a custody package; if absent, the request has no package. */
  readonly package?: FormFields;
  readonly encryptedUserId?: string;
}

/** Makes and sends requests of any holders. */
export interface RefreshClient {
  /** Makes a complete request whose proof is valid for trapdoor-4. */
  call(holder: TestHolder, options?: RefreshCallOptions): Promise<RefreshCall>;
  send(call: RefreshCall): Promise<RefreshAnswer>;
  /** Makes a request and sends it. */
  refresh(holder: TestHolder, options?: RefreshCallOptions): Promise<RefreshAnswer>;
  get(path: string): Promise<Response>;
  close(): Promise<void>;
}

/** Opens a client of the service at `publicUrl`. */
export async function openRefreshClient(publicUrl: string): Promise<RefreshClient> {
  const maker = await createHeaderMaker();
  const client: RefreshClient = {
    call: (holder, options) => makeCall(maker, holder, options),
    send: (call) => sendCall(publicUrl, call),
    refresh: async (holder, options) => await sendCall(publicUrl, await makeCall(maker, holder, options)),
    get: (path) => fetch(`${publicUrl}${path}`),
    close: () => maker.close(),
  };
  return client;
}

async function makeCall(
  maker: HeaderMaker,
  holder: TestHolder,
  options: RefreshCallOptions = {},
): Promise<RefreshCall> {
  const { encryptedUserId } = options;
  return {
    query: `idComm=${toHex(holder.idComm)}`,
    headers: { 'x-zkp-proof': await maker.header(holder, options) },
    fields: {
      sub: toHex(holder.sub),
      ...(encryptedUserId === undefined ? {} : { encrypted_user_id: encryptedUserId }),
      ...options.package,
    },
  };
}

async function sendCall(publicUrl: string, call: RefreshCall): Promise<RefreshAnswer> {
  const form = multipart(call.fields);
  const response = await fetch(`${publicUrl}/api/v1/refresh?${call.query}`, {
    method: 'POST',
    headers: { 'Content-Type': form.contentType, ...call.headers },
    body: form.body,
  });
  const body = (await response.json()) as RefreshBody;
  const credential =
    body.credential === undefined ? undefined : Buffer.from(body.credential, 'base64').toString();
  return { status: response.status, headers: response.headers, body, credential };
}

/** Parts that are sent as files. */
const FILE_PARTS: ReadonlySet<string> = new Set(['hashes.json', 'hashes.sign']);
const CRLF = '\r\n';

/** Encodes a `multipart/form-data` body with exactly these bytes as values. */
export function multipart(
  fields: FormFields,
  boundary = '----proofgate-test-7d1c4f',
): { readonly contentType: string; readonly body: Uint8Array<ArrayBuffer> } {
  const chunks: Uint8Array[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const isFile = FILE_PARTS.has(name);
    const file = isFile ? `; filename="${name}"${CRLF}Content-Type: application/octet-stream` : '';
    chunks.push(
      Buffer.from(`--${boundary}${CRLF}Content-Disposition: form-data; name="${name}"${file}${CRLF}${CRLF}`),
      typeof value === 'string' ? Buffer.from(value) : value,
      Buffer.from(CRLF),
    );
  }
  chunks.push(Buffer.from(`--${boundary}--${CRLF}`));
  const body = Uint8Array.from(Buffer.concat(chunks));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}
