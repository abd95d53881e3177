import type { CircuitStatus } from '../pages.ts';
import { element } from './dom.ts';

/** Build status of the development circuit, with a note on the page while no proofs can be made. */
export interface CircuitWatch {
  /** The note, hidden once the circuit is ready. Its id is `CIRCUIT_NOTE_ID`. */
  readonly node: HTMLElement;
  readonly isReady: boolean;
  /** Calls back once when the circuit is ready, synchronously if it is already. */
  whenReady(listener: () => void): void;
}

/** Id of the note, to which controls that need the circuit refer. */
export const CIRCUIT_NOTE_ID = 'circuit-note';

/** Interval while the service builds the circuit. */
const MAKING_POLL_MS = 1000;
/** Interval while the build must be started manually, or while the service does not answer. */
const IDLE_POLL_MS = 5000;
const TIMEOUT_MS = 10_000;

/**
 * Shows the build status of the circuit and polls the service until it is ready, so that the page continues
 * automatically.
 *
 * @param url - URL that returns a `CircuitStatus`.
 * @param afterwards - One sentence about the functions that are not, and those that are, available meanwhile.
 */
export function watchCircuit(first: CircuitStatus, url: string, afterwards: string): CircuitWatch {
  const listeners: (() => void)[] = [];
  const words = element('p', { role: 'status', 'aria-live': 'polite' });
  const bar = element('progress', { max: '100', 'aria-label': 'Progress of the development circuit' });
  const node = element('div', { class: 'note', id: CIRCUIT_NOTE_ID }, words, bar);
  let isReady = false;

  const show = (status: CircuitStatus): void => {
    bar.hidden = status.status !== 'making';
    if (status.status === 'making') bar.value = Math.round(status.share * 100);
    const parts = wordsOf(status, afterwards);
    // Screen readers announce each change: the text is set only if it differs, not at every step of the bar.
    if (textOf(parts) !== words.textContent) words.replaceChildren(...parts);
    isReady = status.status === 'ready';
    node.hidden = isReady;
    if (isReady) for (const listener of listeners.splice(0)) listener();
  };
  const poll = (delayMs: number): void => {
    setTimeout(async () => {
      const status = await ask(url);
      if (status !== undefined) show(status);
      if (!isReady) poll(status?.status === 'making' ? MAKING_POLL_MS : IDLE_POLL_MS);
    }, delayMs);
  };
  show(first);
  if (!isReady) poll(MAKING_POLL_MS);
  return {
    node,
    get isReady() {
      return isReady;
    },
    whenReady(listener) {
      if (isReady) listener();
      else listeners.push(listener);
    },
  };
}

/** Fetches the status; undefined if the service does not answer, in which case the next poll tries again. */
async function ask(url: string): Promise<CircuitStatus | undefined> {
  try {
    const answer = await fetch(url, {
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return answer.ok ? ((await answer.json()) as CircuitStatus) : undefined;
  } catch {
    return undefined;
  }
}

function wordsOf(status: CircuitStatus, afterwards: string): (Node | string)[] {
  const command = element('code', {}, 'npx proofgate circuits setup');
  switch (status.status) {
    case 'ready':
      return [];
    case 'making':
      return [`The service is making the development circuit: ${status.what}. ${afterwards}`];
    case 'missing':
      return ['The development circuit is not built. Run ', command, ` (once, some seconds). ${afterwards}`];
    case 'failed':
      return [
        `The service could not make the development circuit: ${status.reason}. Correct that, then run `,
        command,
        `. ${afterwards}`,
      ];
  }
}

function textOf(parts: readonly (Node | string)[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : (part.textContent ?? ''))).join('');
}
