/** Whether the development wallet can prove: what the server puts into the pages and answers at `…/wallet/api/circuit`. */
export type CircuitStatus =
  | { readonly status: 'ready' }
  /** Nobody is making it; a command does. */
  | { readonly status: 'missing' }
  /** The service is making it; `share` is from 0 to 1. */
  | { readonly status: 'making'; readonly share: number; readonly what: string }
  /** The service could not make it. */
  | { readonly status: 'failed'; readonly reason: string };
