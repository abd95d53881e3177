/** The app side of the bridge in a sign-in, implemented with only node:crypto. */
import { randomBytes } from 'node:crypto';
import { type SealedMessage, seal, unseal } from '../crypto/sealed-message.ts';

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
    body: JSON.stringify(seal(key, plaintext)),
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
        readonly response: SealedMessage | null;
      };
      return {
        status,
        answer: sealed === null ? undefined : (unseal(key, sealed) as Readonly<Record<string, string>>),
      };
    },
  };
}
