import type { AdminCaller, AdminScope } from '../admin/admin-tokens.ts';
import type { Config } from '../config/settings/types.ts';
import type { ExplainedSetting } from '../config/sources/explain.ts';
import type { Engine } from '../engine/engine.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { JsonObject, JsonSchema, TypeOf } from '../json.ts';
import type { HealthReport } from '../observability/health.ts';
import type { AppStore } from '../storage/apps/apps.ts';
import type { NodeState } from '../storage/nodes.ts';
import type { Store } from '../storage/store.ts';
import { placesOf } from './request.ts';

/** Everything that an operation on the store reaches: of a running service, or of a command. */
export interface OperationServices {
  readonly config: Config;
  readonly store: Store;
  /** Registry of a store, with the apps of the configuration. */
  readonly appsOf: (store: Store) => AppStore;
  /** Engine of the service; a command starts one when it is first needed. */
  readonly engine: () => Promise<Engine>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** This process, if it is a service. */
  readonly node?: ServiceNode;
}

/** A process that serves. */
export interface ServiceNode {
  readonly nodeId: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly state: () => NodeState;
}

/** Everything that operations reach in a running service. */
export interface AdminServices extends OperationServices {
  /** Settings in force, secrets masked. */
  readonly settings: readonly ExplainedSetting[];
  /** The engine that is running. */
  readonly runningEngine: Pick<Engine, 'stats' | 'setWorkers'>;
  readonly health: () => HealthReport;
  /** Writes the counts of the last seconds to the store. */
  readonly flushUsage: () => Promise<void>;
  readonly node: ServiceNode;
}

/** Circumstances of one call of an operation, in addition to its input. */
export interface OperationCall<Output = unknown> {
  readonly caller: AdminCaller;
  /** Version that the call changes; undefined for an operation without versions. */
  readonly version: number | undefined;
  /** Store whose changes have the caller as their author. */
  readonly store: Store;
  /**
   * Stores the output with the change that follows, for an operation that takes an Idempotency-Key; does nothing if the
   * call has none.
   */
  readonly plan: (output: Output) => Promise<void>;
}

/** Schema of an object that lists its members. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Record<string, JsonSchema>;
  readonly required: readonly string[];
}

/** Path below which the admin API is served. */
export const ADMIN_BASE_PATH = '/admin/v1';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Output of an operation; one without a schema has none. */
// biome-ignore lint/suspicious/noConfusingVoidType: it is the type that functions return
export type OutputOf<S> = [NonNullable<S>] extends [never] ? void : TypeOf<NonNullable<S>>;

/** One row of a table of operations: input, function, output and description. */
export interface OperationRow<Place, Input, Output, Services> {
  /** Method and path below `ADMIN_BASE_PATH`; a member of the input is written as `{name}`. */
  readonly at: Place;
  readonly scope: AdminScope;
  readonly summary: string;
  readonly description?: string;
  /** Members of a call; `placesOf` returns their places in a request. */
  readonly input: Input;
  /** Absent if there is nothing to return: the status is then 204. */
  readonly output?: Output;
  /** 200 if absent. */
  readonly status?: 201;
  /** Description of the successful answer. */
  readonly answer: string;
  /** Members of the body that `run` checks itself, so that all their faults are reported together and in words. */
  readonly ownChecks?: readonly string[];
  /** Rules of the body as a whole. */
  readonly bodyRules?: Pick<JsonSchema, 'minProperties' | 'maxProperties'>;
  /** Whether the request must name the version that it changes. */
  readonly isVersioned?: true;
  /**
   * Maximum number of calls per minute and node, from all callers together, for an operation that acts on another
   * system.
   */
  readonly perMinute?: number;
  /** Whether the request may have an Idempotency-Key. */
  readonly isIdempotent?: true;
  /** Refusals of its own, in addition to those of every operation; none if absent. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Code with which a command replaces a refusal by the schema (`admin.invalid_request`): the one with which `run`
   * refuses such members on a store.
   */
  readonly invalid?: ErrorCode;
  /** A call that runs on an empty service of profile test, in the order of the document. */
  readonly example?: JsonObject;
  readonly run: (
    services: Services,
    input: TypeOf<Input>,
    call: OperationCall<OutputOf<Output>>,
  ) => Promise<OutputOf<Output>>;
}

/** Parts of a request in which members of the input are sent. */
export interface RequestParts<T> {
  readonly params?: Readonly<Record<string, T>>;
  readonly query?: Readonly<Record<string, T>>;
}

/** One operation of the admin API, with what follows from its row. */
export interface Operation<
  Place extends string = string,
  Input = ObjectSchema,
  Output = JsonSchema | undefined,
  Services = AdminServices,
> extends RequestParts<JsonSchema>,
    Omit<OperationRow<Place, Input, Output, Services>, 'example' | 'errors' | 'run'> {
  /** `operationId` of the document. */
  readonly id: string;
  readonly tag: string;
  readonly method: Method;
  readonly path: string;
  /** Parameters of the query that a request must have. */
  readonly requiredQuery?: readonly string[];
  /** Schema of the body, an object; absent if there is none. */
  readonly body?: JsonSchema;
  readonly response: { readonly status: number; readonly description: string; readonly schema?: JsonSchema };
  readonly errors: readonly ErrorCode[];
  readonly example: RequestParts<string> & { readonly body?: JsonObject };
  /**
   * Never set: declares to the compiler which services `run` needs, so that no command calls an operation that needs a
   * running service.
   */
  readonly accepts?: (services: Services) => void;
  // A method, so that a list of operations accepts each with its own types.
  run(
    services: Services,
    input: TypeOf<Input>,
    call: OperationCall<OutputOf<Output>>,
  ): Promise<OutputOf<Output>>;
}

/** Operation that runs in a service or in a command. */
export type StoreOperation<Place extends string, Input, Output> = Operation<
  Place,
  Input,
  Output,
  OperationServices
>;

/** Defines an operation on the store. */
export function operation<
  const Place extends `${Method} /${string}`,
  const Input extends ObjectSchema,
  const Output extends JsonSchema | undefined = undefined,
>(row: OperationRow<Place, Input, Output, OperationServices>): Unnamed<StoreOperation<Place, Input, Output>> {
  return derive(row);
}

/** Defines an operation on the node that serves it, which no command can run by itself. */
export function nodeOperation<
  const Place extends `${Method} /${string}`,
  const Input extends ObjectSchema,
  const Output extends JsonSchema | undefined = undefined,
>(row: OperationRow<Place, Input, Output, AdminServices>): Unnamed<Operation<Place, Input, Output>> {
  return derive(row);
}

/** Operation before `operations` has named it. */
export type Unnamed<O> = Omit<O, 'id' | 'tag'>;

/** Names the operations of a tag of the document: the name of each is its `operationId`. */
export function operations<const Table extends Readonly<Record<string, object>>>(
  tag: string,
  table: Table,
): { readonly [Id in keyof Table]: Table[Id] & { readonly id: Id; readonly tag: string } } {
  const named = Object.entries(table).map(([id, row]) => [id, { id, tag, ...row }]);
  return Object.fromEntries(named);
}

/** Adds to a row what follows from it: which part of a request has which member. */
function derive<Place extends string, Input extends ObjectSchema, Output, Services>(
  row: OperationRow<Place, Input, Output, Services>,
): Unnamed<Operation<Place, Input, Output, Services>> {
  const { properties, required } = row.input;
  const { method, path, inPath, inQuery, inBody } = placesOf(row.at, Object.keys(properties));
  const requiredOf = (names: readonly string[]): string[] => required.filter((name) => names.includes(name));
  const requiredQuery = requiredOf(inQuery);
  const schema = row.output as JsonSchema | undefined;
  const example = row.example ?? {};
  return {
    ...row,
    method,
    path,
    ...(inPath.length > 0 ? { params: pick(properties, inPath) } : {}),
    ...(inQuery.length > 0 ? { query: pick(properties, inQuery) } : {}),
    ...(requiredQuery.length > 0 ? { requiredQuery } : {}),
    ...(inBody === undefined
      ? {}
      : {
          body: {
            type: 'object',
            additionalProperties: false,
            required: requiredOf(inBody),
            properties: pick(properties, inBody),
            ...row.bodyRules,
          },
        }),
    response: {
      status: row.status ?? (schema === undefined ? 204 : 200),
      description: row.answer,
      ...(schema === undefined ? {} : { schema }),
    },
    errors: row.errors ?? [],
    example: {
      params: texts(pick(example, inPath)),
      query: texts(pick(example, inQuery)),
      ...(inBody === undefined ? {} : { body: pick(example, inBody) }),
    },
  };
}

/** Returns the members with these names that an object has, in the order of the object. */
function pick<T>(from: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

function texts(values: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
