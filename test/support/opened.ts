import { afterAll, beforeAll } from 'vitest';
import { type ServerProcess, startServer } from './server/server-process.ts';

/**
 * Opens a resource before the tests of the suite in which this is called, and closes it after them. Resources close in the
 * reverse order of opening; one that did not open is not closed.
 *
 * @param close - Closes the resource; the name of its method suffices if that takes nothing.
 * @returns Object with the members of the resource, for hooks and tests.
 */
export function opened<T extends object>(
  open: () => T | Promise<T>,
  close?:
    | { [Name in keyof T]: T[Name] extends () => unknown ? Name : never }[keyof T]
    | ((resource: T) => unknown),
): T {
  let resource: T | undefined;
  beforeAll(async () => {
    resource = await open();
  });
  afterAll(async () => {
    if (resource === undefined || close === undefined) return;
    await (typeof close === 'function' ? close(resource) : (resource[close] as () => unknown)());
  });
  const present = (): T => {
    if (resource === undefined) throw new Error('used before the tests of its suite');
    return resource;
  };
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(present(), name);
      // A method of a class needs the resource itself for its private members.
      return typeof value === 'function' && !Object.hasOwn(present(), name) ? value.bind(present()) : value;
    },
    set: (_, name, value) => Reflect.set(present(), name, value),
    has: (_, name) => Reflect.has(present(), name),
    ownKeys: () => Reflect.ownKeys(present()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(present(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(present()),
  });
}

/** Starts the service in a process of its own before the tests of the suite, and ends it with SIGTERM after them. */
export function openedServer(...given: Parameters<typeof startServer>): ServerProcess {
  return opened(
    () => startServer(...given),
    (server) => server.end('SIGTERM'),
  );
}
