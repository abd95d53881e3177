/** A promise that a test settles. */
export interface Gate<T> {
  readonly promise: Promise<T>;
  open(value: T): void;
  fail(error: unknown): void;
}

/** Creates a gate. */
export function gate<T>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
