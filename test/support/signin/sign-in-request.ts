/** The app side of the bridge in a sign-in, implemented with only node:crypto. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A request on the bridge. */
export interface PutRequest {
  readonly requestId: string;
  readonly key: Buffer;
  /** Members of the connect link, for use after `#` or `?`. */
  readonly members: string;
  /** Fetches the state of the request, with the decrypted answer if there is one. */
  take(): Promise<{ readonly status: string; readonly answer: Readonly<Record<string, string>> | undefined }>;
}

/** Plaintext of a sign-in request; members of `changes` override its own. */
export function signInPlaintext(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    app_id: 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614',
    action_description: 'Sign in to Demo Shop (shop.example)',
    action: '',
    // hash of "e2e-tests-1" (spec/sign-in.md#test-vectors)
    signal: '0x009d17b36aeaf1f48a99f02cbbdabc4baf9c82f5effc8a8a75d07e6b27de33ae',
    credential_types: ['orb', 'device'],
    verification_level: 'device',
    ...changes,
  };
}

/** Encrypts a request and puts it on the bridge of a service. Returns the content of the connect link. */
export async function putSignInRequest(
  publicUrl: string,
  plaintext: unknown = signInPlaintext(),
): Promise<PutRequest> {
  const bridge = `${publicUrl}/bridge`;
  const key = randomBytes(32);
  const response = await fetch(`${bridge}/request`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(encrypt(key, plaintext)),
  });
  if (response.status !== 200) throw new Error(`POST /bridge/request: ${response.status}`);
  const { request_id: requestId } = (await response.json()) as { readonly request_id: string };
  const members = new URLSearchParams({ t: 'wld', i: requestId, k: key.toString('base64'), b: bridge });
  return {
    requestId,
    key,
    members: members.toString(),
    async take() {
      const taken = await fetch(`${bridge}/response/${requestId}`);
      if (taken.status !== 200) throw new Error(`GET /bridge/response: ${taken.status}`);
      const { status, response: sealed } = (await taken.json()) as {
        readonly status: string;
        readonly response: Sealed | null;
      };
      return { status, answer: sealed === null ? undefined : decrypt(key, sealed) };
    },
  };
}

interface Sealed {
  readonly iv: string;
  readonly payload: string;
}

/** Encrypts a message in the format of the bridge. */
export function encrypt(key: Uint8Array, plaintext: unknown): Sealed {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const parts = [cipher.update(JSON.stringify(plaintext)), cipher.final(), cipher.getAuthTag()];
  return { iv: iv.toString('base64'), payload: Buffer.concat(parts).toString('base64') };
}

function decrypt(key: Uint8Array, { iv, payload }: Sealed): Readonly<Record<string, string>> {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'));
  decipher.setAuthTag(bytes.subarray(-16));
  const text = Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString();
  return JSON.parse(text) as Readonly<Record<string, string>>;
}
