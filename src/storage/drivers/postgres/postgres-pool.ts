import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../errors/service-error.ts';
import {
  describeAddress,
  describeHost,
  type PostgresAddress,
  type PostgresHost,
} from './postgres-address.ts';
import { connectCure, postgresFailure } from './postgres-failure.ts';
import { isLoginRefused, type PostgresCredentials } from './postgres-login.ts';
import { PostgresSession } from './postgres-session.ts';

/** Settings of a pool. */
export interface PoolSettings {
  readonly address: PostgresAddress;
  readonly credentials: PostgresCredentials;
  readonly prepares: boolean;
  readonly maxSessions: number;
  /** Time limit for one attempt to connect to one server. */
  readonly connectTimeoutMs: number;
  /** Time for which refused logins are no outage: callers wait for the password that is being changed. */
  readonly loginGraceMs: number;
}

interface Waiter {
  resolve(session: PostgresSession): void;
  reject(error: ServiceError): void;
}

/** Most callers that wait for a session; each is an open request of the listener or a step of a command. */
const MAX_WAITERS = 4096;
/** A single failed attempt may be a connection that broke with the others. */
const FAILURES_OF_OUTAGE = 2;
const FIRST_PAUSE_MS = 50;
/** While refused logins are no outage; a server logs each of them. */
const LONGEST_LOGIN_PAUSE_MS = 200;
/** Recovery is at most this and one connection attempt behind the return of the server. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Sessions with a server that accepts writes. One connection is opened at a time, and after a failure attempts are
 * spaced with jitter, so that many nodes do not overload a recovering server. While no session is open and attempts
 * fail, callers are refused at once; otherwise they wait for a session until their own limit. A failed attempt does not
 * fail a caller while other sessions are open: one of them serves it, for example when all slots of the server are
 * taken.
 */
export class PostgresPool {
  readonly #settings: PoolSettings;
  readonly #idle: PostgresSession[] = [];
  readonly #sessions = new Set<PostgresSession>();
  readonly #waiters: Waiter[] = [];
  readonly #closing = new AbortController();
  #onEmpty: () => void = () => undefined;
  #preferred = 0;
  /**
   * Schema that the address names, or that of the first session, which every later one uses, too: another role may have put
   * one before it since then.
   */
  #schema: string | undefined;
  #isOpening = false;
  /** Reason of the last attempt to connect, if it failed. */
  #fault: string | undefined;
  /** Failed attempts since the last one that succeeded; refused logins count after their grace. */
  #failures = 0;
  /** Time of the first refused login since the last session ended, if no attempt succeeded or failed otherwise since. */
  #loginRefusedAt: number | undefined;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#schema = settings.address.schema;
  }

  /** Reason why no session is available; undefined while one is. */
  get fault(): string | undefined {
    return this.#sessions.size === 0 && this.#failures >= FAILURES_OF_OUTAGE ? this.#fault : undefined;
  }

  /** Whether there is no session because logins have been refused for a moment. */
  get isAwaitingLogin(): boolean {
    if (this.#sessions.size > 0 || this.#loginRefusedAt === undefined) return false;
    return performance.now() - this.#loginRefusedAt < this.#settings.loginGraceMs;
  }

  /**
   * Connects for the first time. Unlike `acquire` it waits for the outcome of an attempt; `limitMs` is that of an attempt
   * if there is one server only, since a busy one is better than none.
   *
   * @throws ServiceError `store.unreachable`
   */
  async open(limitMs: number): Promise<void> {
    const { address, connectTimeoutMs } = this.#settings;
    this.#keep(await this.#connect(address.hosts.length === 1 ? limitMs : connectTimeoutMs));
  }

  /**
   * Takes a session for exclusive use; `release` or `discard` must follow.
   *
   * @throws ServiceError `store.unreachable`
   */
  acquire(limitMs: number): Promise<PostgresSession> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const idle = this.#idle.pop();
    if (idle !== undefined) return Promise.resolve(idle);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(this.#unreachable(this.#fault ?? `no session within ${limitMs} ms`));
      }, limitMs);
      const waiter: Waiter = {
        resolve: (session) => {
          clearTimeout(timer);
          resolve(session);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#waiters.push(waiter);
      void this.#openMore();
    });
  }

  /** Returns a session to the pool. */
  release(session: PostgresSession): void {
    if (!session.isOpen) {
      this.discard(session);
      return;
    }
    if (this.#closing.signal.aborted) {
      void session.close();
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) waiter.resolve(session);
    else this.#idle.push(session);
  }

  /** Cuts a session and removes it. */
  discard(session: PostgresSession): void {
    session.destroy();
    this.#forget(session);
  }

  /** Closes idle sessions: their server may no longer accept writes. */
  discardIdle(): void {
    for (const session of this.#idle.splice(0)) this.discard(session);
  }

  /** Refuses further callers, waits for those that have a session, and closes all. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed());
    for (const session of this.#idle) void session.close();
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
      if (this.#sessions.size === 0) resolve();
    });
  }

  #refusal(): ServiceError | undefined {
    if (this.#closing.signal.aborted) return closed();
    if (this.fault !== undefined) {
      void this.#openMore();
      return this.#unreachable(this.fault);
    }
    if (this.#waiters.length >= MAX_WAITERS) {
      return new ServiceError('store.unreachable', `${MAX_WAITERS} callers wait for a session`);
    }
    return undefined;
  }

  /** Opens sessions until no caller waits, the pool is full, or it closes. */
  async #openMore(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    let pauseMs = FIRST_PAUSE_MS;
    while (this.#needsSession()) {
      try {
        this.#keep(await this.#connect(this.#settings.connectTimeoutMs));
        pauseMs = FIRST_PAUSE_MS;
      } catch {
        if (this.fault !== undefined) this.#refuseWaiters(this.fault);
        await this.#pause(pauseMs / 2 + (pauseMs / 2) * Math.random());
        const longestMs = this.isAwaitingLogin ? LONGEST_LOGIN_PAUSE_MS : LONGEST_PAUSE_MS;
        pauseMs = Math.min(longestMs, pauseMs * 2);
      }
    }
    this.#isOpening = false;
  }

  /** Whether another session is needed: for a caller, or to find out that the server has returned. */
  #needsSession(): boolean {
    if (this.#closing.signal.aborted || this.#sessions.size >= this.#settings.maxSessions) return false;
    return this.#waiters.length > 0 || this.fault !== undefined;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
  }

  /** Connects to the first server that accepts writes, beginning with the last one that did. */
  async #connect(limitMs: number): Promise<PostgresSession> {
    const { hosts } = this.#settings.address;
    const reasons: string[] = [];
    const cures = new Set<string>();
    let isRefused = false;
    for (let tries = 0; tries < hosts.length; tries++) {
      const index = (this.#preferred + tries) % hosts.length;
      const host = hosts[index] as PostgresHost;
      try {
        const session = await this.#logIn(host, limitMs);
        this.#schema = session.schema;
        this.#preferred = index;
        this.#fault = undefined;
        this.#failures = 0;
        this.#loginRefusedAt = undefined;
        return session;
      } catch (error) {
        isRefused ||= isLoginRefused(error);
        reasons.push(`${describeHost(host)}: ${postgresFailure(error).message}`);
        cures.add(connectCure(error));
      }
    }
    this.#fault = reasons.join('; ');
    this.#countFailure(isRefused);
    throw this.#unreachable(this.#fault, [...cures].join(' '));
  }

  /** Counts a failed attempt: at once, or after their grace if all that is wrong is the login. */
  #countFailure(isLoginRefused: boolean): void {
    if (!isLoginRefused) this.#loginRefusedAt = undefined;
    else if (this.#sessions.size > 0) return;
    else this.#loginRefusedAt ??= performance.now();
    if (!this.isAwaitingLogin) this.#failures++;
  }

  /** Opens a session with the login of now, or the one that was accepted before. */
  async #logIn(host: PostgresHost, limitMs: number): Promise<PostgresSession> {
    const { address, credentials, prepares } = this.#settings;
    const schema = this.#schema === undefined ? {} : { schema: this.#schema };
    let refusal: unknown;
    for (const login of await credentials.logins()) {
      try {
        const target = { address, login, tls: credentials.tls(), prepares, ...schema };
        const session = await PostgresSession.open(target, host, limitMs);
        credentials.accepted(login);
        return session;
      } catch (error) {
        if (!isLoginRefused(error)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  #keep(session: PostgresSession): void {
    this.#sessions.add(session);
    session.onEnd = () => this.#forget(session);
    this.release(session);
  }

  #forget(session: PostgresSession): void {
    if (!this.#sessions.delete(session)) return;
    const index = this.#idle.indexOf(session);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#waiters.length > 0) void this.#openMore();
    if (this.#sessions.size === 0) this.#onEmpty();
  }

  #refuseWaiters(reason: string): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#unreachable(reason));
  }

  #unreachable(reason: string, cure?: string): ServiceError {
    return new ServiceError(
      'store.unreachable',
      `PostgreSQL at ${describeAddress(this.#settings.address)}: ${reason}`,
      cure === undefined ? {} : { cure },
    );
  }
}

function closed(): ServiceError {
  return new ServiceError('store.unreachable', 'the store is closed');
}
