import { MessagePort, type Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { type ErrorDetails, isServiceError, ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';

/** What one side of a link answers: functions of values that can be cloned, by name. A port as an argument is transferred. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

type Arguments<C extends Calls, Name extends keyof C> = Parameters<C[Name]>;
type Answer<C extends Calls, Name extends keyof C> = Awaited<ReturnType<C[Name]>>;

/** An error as it crosses a link. */
export interface Fault {
  /** Undefined for an error that is not of the service. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly details: ErrorDetails;
}

type Message =
  | { readonly kind: 'call'; readonly id: number | undefined; readonly name: string; readonly args: never[] }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: Fault };

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Returns an error in the form in which it crosses a link. */
export function faultOf(error: unknown): Fault {
  return isServiceError(error)
    ? { code: error.code, message: error.message, details: error.details }
    : { code: undefined, message: messageOf(error), details: {} };
}

/** Returns the error that crossed a link. */
export function errorOf({ code, message, details }: Fault): Error {
  return code === undefined ? new Error(message) : new ServiceError(code, message, details);
}

/** Calls between two threads over one port: each side answers its own calls and makes those of the other. */
export class Link<Own extends Calls, Other extends Calls> {
  readonly #port: MessagePort | Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #closed: Error | undefined;

  constructor(port: MessagePort | Worker, own: Own) {
    this.#port = port;
    port.on('message', (message: Message) => {
      if (message.kind === 'call') void this.#answer(own, message);
      else this.#settle(message);
    });
  }

  /** Makes a call of the other side. Rejects with its error, or once the link is closed. */
  call<Name extends keyof Other & string>(
    name: Name,
    ...args: Arguments<Other, Name>
  ): Promise<Answer<Other, Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#closed);
      const id = this.#nextId++;
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#post({ kind: 'call', id, name, args: args as never[] });
    });
  }

  /** Makes a call of the other side without waiting for its end. */
  tell<Name extends keyof Other & string>(name: Name, ...args: Arguments<Other, Name>): void {
    if (this.#closed === undefined) this.#post({ kind: 'call', id: undefined, name, args: args as never[] });
  }

  /** Rejects the calls that have no answer, and all further ones. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }

  async #answer(own: Own, { id, name, args }: Extract<Message, { kind: 'call' }>): Promise<void> {
    try {
      const value: unknown = await own[name]?.(...args);
      if (id !== undefined) this.#post({ kind: 'answer', id, value });
    } catch (error) {
      // The fault of a call that nobody waits for is one of this thread.
      if (id === undefined) throw error;
      this.#post({ kind: 'fault', id, fault: faultOf(error) });
    }
  }

  #settle(message: Exclude<Message, { kind: 'call' }>): void {
    const waiting = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(errorOf(message.fault));
  }

  #post(message: Message): void {
    const args: readonly unknown[] = message.kind === 'call' ? message.args : [];
    const ports = args.filter((each) => each instanceof MessagePort);
    this.#port.postMessage(message, ports);
  }
}
