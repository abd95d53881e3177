/**
 * A wallet that behaves like known ones: it reads `success`, `credential` and `message`, and retries on 429
 * and 5xx.
 */
import { multipart, type RefreshCall } from './client.ts';

/** Outcome of a refresh by the wallet. */
export interface WalletOutcome {
  /** Base64; undefined when the wallet gave up. */
  readonly credential: string | undefined;
  /** Message that the wallet would show. */
  readonly message: string;
  readonly attempts: number;
}

const RETRIES = 3;
const TIMEOUT_MS = 60_000;

/** Refreshes a credential with retries. @param pause - Waits the given number of milliseconds. */
export async function walletRefresh(
  issuerUrl: string,
  call: RefreshCall,
  pause: (ms: number) => Promise<void>,
): Promise<WalletOutcome> {
  const form = multipart(call.fields);
  for (let attempts = 1; ; attempts += 1) {
    const response = await fetch(`${issuerUrl}/api/v1/refresh?${call.query}`, {
      method: 'POST',
      headers: { 'Content-Type': form.contentType, ...call.headers },
      body: form.body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { success, credential, message } = (await response.json()) as {
      readonly success: boolean;
      readonly credential?: string;
      readonly message: string;
    };
    if (success) return { credential, message, attempts };
    const mayRetry = response.status === 429 || response.status >= 500;
    if (!mayRetry || attempts > RETRIES) return { credential: undefined, message, attempts };
    await pause(1000 * 2 ** (attempts - 1));
  }
}
