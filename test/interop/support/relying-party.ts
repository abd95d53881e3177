/**
 * Relying parties in other languages. Each is a small web server around a library: `/login` redirects the
 * browser to the service, `/callback` shows `{claims, userinfo}`, or `{error}` with the text of the library.
 */
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestClient } from '../../support/signin/clients.ts';

/** How a program authenticates at `/token`. */
export type AuthMethod = 'client_secret_basic' | 'client_secret_post';

/** Configuration of a relying party. */
export interface RelyingPartyOptions {
  readonly issuer: string;
  readonly client: TestClient;
  readonly authMethod: AuthMethod;
}

/** A running relying party. */
export interface RelyingParty {
  /** URL that starts a sign-in. */
  readonly loginUrl: string;
  end(): Promise<void>;
}

/** Absolute path of a file below `test/interop/support`. */
export function supportPath(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Whether a command runs and exits with code 0. */
export function runs(command: string, args: readonly string[], options: SpawnSyncOptions = {}): boolean {
  return spawnSync(command, args, { stdio: 'ignore', ...options }).status === 0;
}

/**
 * Starts a relying party on the port of its client's redirect URI, and waits until it is listening.
 *
 * @param command - Program and arguments; the program prints `ready` when it is listening.
 */
export async function startRelyingParty(
  [program = '', ...args]: readonly string[],
  { issuer, client, authMethod }: RelyingPartyOptions,
): Promise<RelyingParty> {
  const { origin, port } = new URL(client.redirectUri);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // no further variables of this process: a proxy would intercept requests to the service
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      ISSUER: issuer,
      CLIENT_ID: client.clientId,
      CLIENT_SECRET: client.clientSecret,
      AUTH_METHOD: authMethod,
      PORT: port,
    },
  });
  const closed = once(child, 'close');
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/^ready$/m.test(text)) resolve();
    });
    closed.then(
      () => reject(new Error(`${program} ended before it was listening:\n${errors.join('')}`)),
      reject,
    );
  });
  return {
    loginUrl: `${origin}/login`,
    async end() {
      child.kill();
      await closed;
    },
  };
}
