import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
// biome-ignore lint/style/noRestrictedImports: the files of this folder are those that hide pg
import pg from 'pg';
import type { SqlRow, SqlValue } from '../driver.ts';
import { requireChannelBinding } from './channel-binding.ts';
import { COLUMN_TYPES } from './column-types.ts';
import { isSocket, type PostgresAddress, type PostgresHost } from './postgres-address.ts';
import type { PostgresLogin } from './postgres-login.ts';

/** Parameters for opening a session. */
export interface SessionTarget {
  readonly address: PostgresAddress;
  readonly login: PostgresLogin;
  readonly tls: ConnectionOptions | false;
  /** Whether statements are prepared by name; a pooler that shares sessions may not allow it. */
  readonly prepares: boolean;
  /** Schema of the store; by default the first of the search path of the role. */
  readonly schema?: string;
}

/** One statement of a pipeline. */
export interface Query {
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

/** Answer to one statement. */
export interface Reply {
  readonly rows: SqlRow[];
  /** Number of changed or returned rows. */
  readonly count: number;
  /** Command tag, such as COMMIT. */
  readonly tag: string;
}

/** Answers to the statements of a pipeline up to the first that failed. */
export interface PipelineOutcome {
  readonly replies: readonly Reply[];
  readonly error?: unknown;
  /**
   * Whether the server ended its wait for a standby early: it reports success for a commit that the standby may not
   * have.
   */
  readonly isWaitCancelled: boolean;
}

/** Settings of the server, as this session sees them; null for one that the server does not have. */
export interface SessionSettings {
  readonly encoding: string | null;
  readonly fsync: string | null;
  readonly fullPageWrites: string | null;
  readonly synchronousCommit: string | null;
  readonly synchronousStandbyNames: string | null;
}

/** Runs before the search path is pinned: every function is qualified, and there is no operator. */
const SETTINGS_QUERY = `select pg_catalog.pg_backend_pid(), pg_catalog.array_to_json(pg_catalog.current_schemas(false)), ${[
  'transaction_read_only',
  'server_encoding',
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'synchronous_standby_names',
]
  .map((name) => `pg_catalog.current_setting('${name}', true)`)
  .join(', ')}`;

/** warning, admin_shutdown: the codes under which the server reports an ended wait for a standby. */
const ENDED_WAIT_CODES: ReadonlySet<string | undefined> = new Set(['01000', '57P01']);
const KEEP_ALIVE_DELAY_MS = 10_000;
const CLOSE_LIMIT_MS = 1000;
/**
 * Names of statements by their text; there are a few hundred texts. A name is a hash of the text: behind a pooler that gives
 * a session to several processes, none can mean the statement of another. The version of the schema is no part of it: the
 * server plans a statement anew after a migration, and refuses it if its columns have changed.
 */
const statementNames = new Map<string, string>();

/**
 * One connection to a server that accepts writes. The statements of a pipeline are sent at once and answered
 * together. A pipeline that exceeds its time limit closes the connection, never with a request to cancel: the server
 * reports success for a commit whose wait for a standby was cancelled.
 */
export class PostgresSession {
  /** Called when the connection ends for any reason. */
  onEnd: () => void = () => undefined;
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #prepares: boolean;
  #schema: string | undefined;
  #opening: readonly Query[] = [];
  #settings: SessionSettings | undefined;
  #isOpen = false;
  #hasTimedOut = false;
  #isWaitCancelled = false;

  private constructor(target: SessionTarget, host: PostgresHost) {
    const { address, login, tls, prepares, schema } = target;
    this.#prepares = prepares;
    this.#schema = schema;
    this.#socket = new Socket();
    this.#client = new pg.Client({
      host: host.host,
      port: host.port,
      user: login.user,
      database: address.database,
      // A function: without a password pg would look for one in the environment and in the home folder.
      password: () => login.password ?? '',
      ssl: isSocket(host) ? false : tls,
      sslnegotiation: address.isTlsDirect ? 'direct' : 'postgres',
      enableChannelBinding: address.channelBinding !== 'disable',
      application_name: address.applicationName,
      ...(address.options === undefined ? {} : { options: address.options }),
      stream: () => this.#socket,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      types: COLUMN_TYPES as pg.CustomTypesConfig,
    });
    if (address.channelBinding === 'require')
      requireChannelBinding(this.#client, () => this.#socket.destroy());
    this.#client.on('error', () => this.#end());
    this.#client.on('end', () => this.#end());
    this.#client.on('notice', ({ code, routine }) => {
      if (ENDED_WAIT_CODES.has(code) || routine === 'SyncRepWaitForLSN') this.#isWaitCancelled = true;
    });
  }

  /**
   * Connects to a server and checks that it accepts writes.
   *
   * @param limitMs - Time limit, including the check.
   * @throws Error of pg, or one with the reason why the server is not accepted
   */
  static async open(target: SessionTarget, host: PostgresHost, limitMs: number): Promise<PostgresSession> {
    const session = new PostgresSession(target, host);
    try {
      await session.#withLimit(limitMs, async () => {
        await session.#client.connect();
        session.#isOpen = true;
        await session.#prepare(limitMs);
      });
      return session;
    } catch (error) {
      const hasTimedOut = session.#hasTimedOut;
      session.destroy();
      throw hasTimedOut ? new Error(`no answer within ${limitMs} ms`) : error;
    }
  }

  /** Whether the connection is open, as far as known without I/O. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get settings(): SessionSettings {
    if (this.#settings === undefined) throw new Error('the session is not open');
    return this.#settings;
  }

  /** Schema of the store: no other one is searched, apart from that of the system. */
  get schema(): string {
    if (this.#schema === undefined) throw new Error('the session is not open');
    return this.#schema;
  }

  /** Statements that follow each `begin`. If there are any, no statement may run outside of a transaction. */
  get opening(): readonly Query[] {
    return this.#opening;
  }

  /**
   * Sends statements together and resolves when each was answered or the connection has ended; never rejects. Only one
   * pipeline may be under way.
   */
  async sendPipeline(queries: readonly Query[], limitMs: number): Promise<PipelineOutcome> {
    this.#isWaitCancelled = false;
    const replies: Reply[] = [];
    let failure: { readonly error: unknown } | undefined;
    await this.#withLimit(limitMs, async () => {
      // One write to the socket for all of them.
      this.#socket.cork();
      const answers = queries.map(async (query) => {
        try {
          const reply = await this.#send(query);
          if (failure === undefined) replies.push(reply);
        } catch (error) {
          failure ??= { error: this.#hasTimedOut ? new Error(`no answer within ${limitMs} ms`) : error };
        }
      });
      this.#socket.uncork();
      await Promise.all(answers);
    });
    return { replies, ...failure, isWaitCancelled: this.#isWaitCancelled };
  }

  /** Ends the session in order. No pipeline may be under way. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A frozen server does not answer the farewell.
    await this.#withLimit(CLOSE_LIMIT_MS, () => this.#client.end());
  }

  /** Cuts the connection; a pipeline under way fails. */
  destroy(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  async #prepare(limitMs: number): Promise<void> {
    const [pid, schemas, ...settings] = await this.#run(SETTINGS_QUERY, limitMs);
    this.#settings = parseSettings(settings as (string | null)[]);
    this.#schema ??= firstSchema(String(schemas));
    // The schema of the system is searched first because it is not listed, that of temporary tables last because it is.
    const path = `search_path = ${pg.escapeIdentifier(this.#schema)}, pg_temp`;
    // A pooler answers with an id of its own, and may run each transaction in another session of the server.
    const isDirect = pid === (this.#client as pg.Client & { readonly processID?: unknown }).processID;
    if (isDirect) await this.#run(`set ${path}`, limitMs);
    else this.#opening = [{ text: `set local ${path}` }];
  }

  /** Runs a statement and returns its first row. @throws Error of pg */
  async #run(text: string, limitMs: number): Promise<SqlRow> {
    const { replies, error } = await this.sendPipeline([{ text }], limitMs);
    if (error !== undefined) throw error;
    return replies[0]?.rows[0] ?? [];
  }

  #send({ text, values }: Query): Promise<Reply> {
    const isBound = values !== undefined && values.length > 0;
    const query = {
      text,
      rowMode: 'array',
      ...(isBound ? { values } : {}),
      // A statement without values runs rarely, such as those of migrations.
      ...(isBound && this.#prepares ? { name: nameOf(text) } : {}),
    };
    return new Promise((resolve, reject) => {
      const onReply = (
        error: Error | undefined,
        result: pg.QueryArrayResult<SqlValue[]> | undefined,
      ): void => {
        if (result === undefined) reject(error);
        else resolve({ rows: result.rows, count: result.rowCount ?? 0, tag: result.command });
      };
      (this.#client.query as (config: object, callback: typeof onReply) => void)(query, onReply);
    });
  }

  /** Runs work; cuts the connection if it takes longer than the limit, so that the work fails. */
  async #withLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#hasTimedOut = true;
      this.destroy();
    }, limitMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  #end(): void {
    this.#isOpen = false;
    this.onEnd();
  }
}

/** @throws Error if the server cannot hold the store */
function parseSettings(row: readonly (string | null)[]): SessionSettings {
  const [readOnly, encoding, fsync, fullPageWrites, synchronousCommit, synchronousStandbyNames] = row;
  if (readOnly === 'on') throw new Error('the server is read-only: a standby, or set to be');
  if (encoding !== 'UTF8') throw new Error(`the database has the encoding ${encoding}, expected UTF8`);
  return {
    encoding: encoding ?? null,
    fsync: fsync ?? null,
    fullPageWrites: fullPageWrites ?? null,
    synchronousCommit: synchronousCommit ?? null,
    synchronousStandbyNames: synchronousStandbyNames ?? null,
  };
}

/** Returns the first schema of a search path that is not a system schema. @throws Error if there is none */
function firstSchema(json: string): string {
  const schema = (JSON.parse(json) as string[]).find((name) => !name.startsWith('pg_'));
  if (schema === undefined) throw new Error('no schema of the search_path of the role exists');
  return schema;
}

function nameOf(text: string): string {
  const name =
    statementNames.get(text) ?? `p_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  statementNames.set(text, name);
  return name;
}
