import { createSecureContext } from 'node:tls';
import type { LoginFiles } from '../../../config/settings/types.ts';
import { readAgain } from '../../../config/sources/file-contents.ts';
import {
  describeAddress,
  type PostgresAddress,
  parsePostgresAddress,
  tlsOptions,
} from './postgres-address.ts';

/** User and password of one login. */
export type PostgresLogin = Pick<PostgresAddress, 'user' | 'password'>;

/** TLS options of one connection. */
export type PostgresTls = ReturnType<typeof tlsOptions>;

/** invalid_password, invalid_authorization_specification; pgbouncer has protocol_violation before version 1.21. */
const REFUSED_STATES: readonly unknown[] = ['28P01', '28000'];
const POOLER_REFUSAL = /authentication failed/i;

/** Whether a server has refused a login, so that another password may be accepted. */
export function isLoginRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  // pg itself refuses to log in without a password.
  return (
    REFUSED_STATES.includes(code) ||
    (code === '08P01' && POOLER_REFUSAL.test(message)) ||
    message.startsWith('SASL')
  );
}

const NO_FILES: LoginFiles = { url: undefined, password: undefined };

/**
 * Credentials for the sessions of a store, read from their files for each session: during a rotation the file changes a
 * moment before or after the password of the role (spec/operations.md#reload).
 */
export class PostgresCredentials {
  readonly #address: PostgresAddress;
  readonly #files: LoginFiles;
  #read: PostgresLogin;
  /** The last login that a server has accepted. */
  #accepted: PostgresLogin | undefined;
  #tls: PostgresTls;

  /** @throws Error of `node:fs` or of OpenSSL for TLS files that cannot be used */
  constructor(address: PostgresAddress, files: LoginFiles = NO_FILES) {
    this.#address = address;
    this.#files = files;
    this.#read = address;
    this.#tls = usableTls(address);
  }

  /** Returns the login of the files as they are now, then the last accepted one, if it differs. */
  async logins(): Promise<readonly PostgresLogin[]> {
    const { user, password } = await this.#readFiles();
    this.#read = { user, password };
    const former = this.#accepted;
    const isSame = former === undefined || (former.user === user && former.password === password);
    return isSame ? [this.#read] : [this.#read, former];
  }

  accepted(login: PostgresLogin): void {
    this.#accepted = login;
  }

  /** Returns the TLS options of the files as they are now; those of before while they cannot be used together. */
  tls(): PostgresTls {
    try {
      this.#tls = usableTls(this.#address);
    } catch {
      // half written: the next session reads them again
    }
    return this.#tls;
  }

  async #readFiles(): Promise<PostgresLogin> {
    const [url, password] = await Promise.all([textOf(this.#files.url), textOf(this.#files.password)]);
    const named = url === undefined ? undefined : parsePostgresAddress(url);
    const isUsable = typeof named === 'object' && describeAddress(named) === describeAddress(this.#address);
    const own = isUsable ? named.password : undefined;
    return { user: (isUsable ? named : this.#read).user, password: own ?? password ?? this.#read.password };
  }
}

/** Reads a secret; undefined without a file, or while it is missing, unreadable, empty or more than one line. */
async function textOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    const text = (await readAgain(path)).toString('utf8').trim();
    return text === '' || /[\r\n]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function usableTls(address: PostgresAddress): PostgresTls {
  const options = tlsOptions(address);
  // Finds a key that does not belong to its certificate, which would fail each connection.
  if (options !== false) createSecureContext(options);
  return options;
}
