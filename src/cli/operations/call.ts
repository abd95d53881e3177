import type { TypeOf } from '../../json.ts';
import type { ObjectSchema, Operation, OperationServices, OutputOf } from '../../operations/operation.ts';

/** Operation that a command can call: it needs no running service. */
export type CallableOperation = Pick<
  Operation<string, ObjectSchema, unknown, OperationServices>,
  'at' | 'input' | 'output' | 'isIdempotent' | 'invalid' | 'run' | 'accepts'
>;

/** Options of a call. */
export interface CallOptions {
  /** Version that the call changes, of an operation with versions. */
  readonly version?: number;
}

/** Calls an operation: on the store of the settings, or on the service that `--server` names. */
export type CallOperation = <O extends CallableOperation>(
  operation: O,
  input: TypeOf<O['input']>,
  options?: CallOptions,
) => Promise<OutputOf<O['output']>>;
