/** Log event of the engine; never holds a proof, an input or a key. */
export type EngineEvent =
  | {
      readonly event: 'engine.started';
      readonly backend: string;
      readonly arithmetic: string;
      readonly reason: string;
    }
  | { readonly event: 'engine.arithmetic_refused'; readonly arithmetic: string; readonly reason: string }
  | {
      readonly event: 'engine.worker_lost';
      readonly threadId: number;
      readonly exitCode: number;
      readonly restarts: number;
    }
  | { readonly event: 'engine.worker_error'; readonly reason: string }
  | { readonly event: 'engine.worker_ready'; readonly threadId: number }
  | { readonly event: 'engine.failed'; readonly reason: string }
  | {
      readonly event: 'engine.batch_lost';
      readonly queue: string;
      readonly items: number;
      readonly reason: string;
    }
  | { readonly event: 'engine.poisoned'; readonly queue: string };
