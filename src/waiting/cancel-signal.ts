/** A listener as an object; in the form that an `AbortSignal` takes too. */
export interface CancelObserver {
  handleEvent(): void;
}

type CancelListener = (() => void) | CancelObserver;

/** Tells that nobody waits for an answer any more. An `AbortSignal` is one; `Cancellation` makes a cheaper one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: CancelListener, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: CancelListener): void;
}

/**
 * Controller and signal in one object, for waits that begin and end thousands of times a second: an `AbortController`
 * costs microseconds and work for the garbage collector, this one a few fields. It fires once.
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  // Mostly there is one listener; the list is made for the second.
  #first: CancelListener | undefined;
  #more: CancelListener[] | undefined;

  addEventListener(_type: 'abort', listener: CancelListener): void {
    if (this.aborted) return;
    if (this.#first === undefined) this.#first = listener;
    else {
      this.#more ??= [];
      this.#more.push(listener);
    }
  }

  removeEventListener(_type: 'abort', listener: CancelListener): void {
    if (this.#first === listener) this.#first = undefined;
    else if (this.#more !== undefined) this.#more = this.#more.filter((other) => other !== listener);
  }

  /** Fires: each listener is called, in the order in which they came; the second call does nothing. */
  cancel(): void {
    if (this.aborted) return;
    this.aborted = true;
    const first = this.#first;
    const more = this.#more;
    this.#first = undefined;
    this.#more = undefined;
    if (first !== undefined) tell(first);
    if (more !== undefined) for (const listener of more) tell(listener);
  }
}

function tell(listener: CancelListener): void {
  if (typeof listener === 'function') listener();
  else listener.handleEvent();
}
