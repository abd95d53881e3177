import { afterAll, beforeAll } from 'vitest';

/**
 * Opens a resource before the tests of the suite in which this is called, and closes it after them. Resources close in the
 * reverse order of opening; one that did not open is not closed.
 *
 * @param close - Method of the resource that closes it, if it is to be closed.
 * @returns Object with the members of the resource, for hooks and tests.
 */
export function opened<T extends object>(
  open: () => T | Promise<T>,
  close?: { [Name in keyof T]: T[Name] extends () => unknown ? Name : never }[keyof T],
): T {
  let resource: T | undefined;
  beforeAll(async () => {
    resource = await open();
  });
  afterAll(async () => {
    if (resource !== undefined && close !== undefined) await (resource[close] as () => unknown)();
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
