/** A wallet as known ones behave: it reads `success`, `credential` and `message`, and retries on 429 and 5xx. */
import { multipart, type RefreshCall } from './client.ts';

/** How a wallet's refresh ended. */
export interface WalletOutcome {
  /** Base64; undefined when it gave up. */
  readonly credential: string | undefined;
  /** What it would show. */
  readonly message: string;
  readonly attempts: number;
}

const RETRIES = 3;
const TIMEOUT_MS = 60_000;

/** Refreshes. @param pause - Waits so many milliseconds. */
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
