import type { ExplainedSetting } from '../config/index.ts';
import type { Config } from '../config/settings/types.ts';
import type { Engine } from '../engine/index.ts';
import type { ErrorCode } from '../errors/index.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { HealthReport } from '../observability/index.ts';
import type { AppStore, NodeState, Store } from '../storage/index.ts';
import type { AdminCaller, AdminScope } from './admin-tokens.ts';

/** Everything that operations reach. */
export interface AdminServices {
  readonly config: Config;
  /** Settings in force, secrets masked. */
  readonly settings: readonly ExplainedSetting[];
  readonly store: Store;
  /** Registry of a store, with the apps of the configuration. */
  readonly appsOf: (store: Store) => AppStore;
  readonly engine: Engine;
  readonly health: () => HealthReport;
  /** Writes the counts of the last seconds to the store. */
  readonly flushUsage: () => Promise<void>;
  /** This process. */
  readonly node: {
    readonly nodeId: string;
    readonly version: string;
    /** Milliseconds since the epoch. */
    readonly startedAt: number;
    readonly state: () => NodeState;
  };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A request that fits the schemas of its operation. */
export interface AdminRequest {
  /** Whose token the request has. */
  readonly caller: AdminCaller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number>>;
  readonly body: JsonObject;
  /** Version of the header If-Match; undefined for an operation without versions. */
  readonly version: number | undefined;
  /** Store whose changes have the caller as their author. */
  readonly store: Store;
  /**
   * Stores the answer with the change that follows, for an operation that takes an Idempotency-Key; does nothing if the
   * request has none.
   */
  readonly plan: (answer: AdminAnswer) => Promise<void>;
}

/** Answer of an operation. */
export interface AdminAnswer {
  readonly status: number;
  /** Absent for 204. */
  readonly body?: unknown;
  /** Version of the object in `body`, for the header ETag. */
  readonly version?: number;
}

/** Successful answer, for the document. */
export interface AdminResponse {
  readonly status: number;
  readonly description: string;
  readonly schema?: JsonSchema;
}

/** A call that runs on an empty service of profile test, in the order of the document. */
export interface AdminExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

/** One operation of the admin API: what it checks, does and answers, and how it is described. */
export interface Operation {
  /** `operationId` of the document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to `ADMIN_BASE_PATH`; a parameter is written as `{name}`. */
  readonly path: string;
  readonly scope: AdminScope;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, JsonSchema>>;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Parameters of the query that a request must have. */
  readonly requiredQuery?: readonly string[];
  /** Schema of the body, an object; absent if there is none. */
  readonly body?: JsonSchema;
  /** Members of the body that `run` checks itself, so that all their faults are reported together and in words. */
  readonly ownChecks?: readonly string[];
  /** Whether the request must name the version that it changes. */
  readonly isVersioned?: true;
  /** Most calls per minute that a node takes, whoever sends them, for an operation that acts on another system. */
  readonly perMinute?: number;
  /** Whether the request may have an Idempotency-Key. */
  readonly isIdempotent?: true;
  readonly response: AdminResponse;
  /** Refusals of its own, beside those of every operation. */
  readonly errors: readonly ErrorCode[];
  readonly example: AdminExample;
  readonly run: (services: AdminServices, request: AdminRequest) => Promise<AdminAnswer>;
}
