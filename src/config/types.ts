/** Profile of a process (operations.md 3). `test` and `bench` are development plus the known-trapdoor key. */
export type Profile = 'development' | 'production' | 'test' | 'bench';

/** Typed settings in force; keys as in `schema.ts`, nested by their dots. Times carry their unit in the name. */
export interface Config {
  readonly profile: Profile;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly issuerUrl: string;
  readonly verifyUrl: string;
  readonly verify: {
    readonly enabled: boolean;
    readonly bodyLimitBytes: number;
    readonly maxResponses: number;
    readonly deadlineMs: number;
    /** Requests per second and address; 0 is off. */
    readonly rateLimitPerSecond: number;
    readonly rateLimitBurst: number;
    /** `verify.key.<environment>` and `verify.key.<environment>.<tree>` to key id; absent: no key. */
    readonly keys: Readonly<Record<string, string>>;
  };
  readonly bridge: {
    readonly enabled: boolean;
    readonly rootAlias: boolean;
    readonly bodyLimitBytes: number;
    readonly maxEntries: number;
    readonly maxBytes: number;
  };
  /** Requests per minute and address; 0 is off. */
  readonly rateLimits: { readonly bridge: number };
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly allowExposedDevelopment: boolean;
  };
  readonly admin: {
    readonly host: string;
    readonly port: number;
    readonly token: string | undefined;
  };
  readonly http: {
    readonly bodyLimitBytes: number;
    readonly maxOpenExchanges: number;
    readonly handlerTimeoutMs: number;
  };
  readonly engine: {
    readonly workers: number;
    readonly backend: 'auto' | 'native' | 'wasm';
    readonly maxQueue: number;
    readonly maxBatch: number;
    readonly maxBatchDelayMs: number;
  };
  readonly storage: {
    readonly url: string;
    readonly groupMaxRows: number;
    readonly groupMaxDelayMs: number;
    readonly cacheSeconds: number;
    readonly sweepIntervalSeconds: number;
    readonly sweepBatchRows: number;
  };
  readonly log: { readonly level: string; readonly format: 'json' | 'pretty' };
  readonly metrics: {
    readonly enabled: boolean;
    readonly requireToken: boolean;
  };
  readonly shutdown: {
    readonly drainDelayMs: number;
    readonly timeoutMs: number;
  };
}
