/**
 * Relying parties that are programs in other languages. Each is a small web server around its library: `/login` sends
 * the browser to the service, `/callback` shows `{claims, userinfo}`, or `{error}` as the library words it.
 */
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestClient } from '../../support/signin/clients.ts';

/** How a program authenticates at `/token`. */
export type AuthMethod = 'client_secret_basic' | 'client_secret_post';

/** What a relying party is told. */
export interface RelyingPartyOptions {
  readonly issuer: string;
  readonly client: TestClient;
  readonly authMethod: AuthMethod;
}

/** A relying party that listens. */
export interface RelyingParty {
  /** Where a sign-in starts. */
  readonly loginUrl: string;
  end(): Promise<void>;
}

/** Absolute path of a file below `test/interop/support`. */
export function supportPath(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Whether a command runs to its end with exit code 0. */
export function runs(command: string, args: readonly string[], options: SpawnSyncOptions = {}): boolean {
  return spawnSync(command, args, { stdio: 'ignore', ...options }).status === 0;
}

/**
 * Starts a relying party, which listens at the port of its client's redirect URI, and waits until it does.
 *
 * @param command - Program and arguments. It prints `ready`.
 */
export async function startRelyingParty(
  [program = '', ...args]: readonly string[],
  { issuer, client, authMethod }: RelyingPartyOptions,
): Promise<RelyingParty> {
  const { origin, port } = new URL(client.redirectUri);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // nothing else of this process: a proxy in its environment would stand between party and service
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
    closed.then(() => reject(new Error(`${program} ended before it listened:\n${errors.join('')}`)), reject);
  });
  return {
    loginUrl: `${origin}/login`,
    async end() {
      child.kill();
      await closed;
    },
  };
}
