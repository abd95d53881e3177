import { IS_NODE_HTTP } from '../../server/http-library.ts';
import { type Draw, pick, type RequestParts } from './request-parts.ts';

/**
 * Status and error name of each outcome of spec/refresh.md#errors that an enrolled holder without limits can
 * get.
 */
export const LISTED = [
  '200',
  '400 INVALID_SUB',
  '400 PCP_VALIDATION_FAILED',
  '400 INVALID_ID_COMM',
  '400 INVALID_REQUEST',
  '401 UNAUTHORIZED',
  '401 INVALID_PROOF',
  '404 NOT_FOUND',
  '405 METHOD_NOT_ALLOWED',
  '413 PAYLOAD_TOO_LARGE',
  '415 UNSUPPORTED_MEDIA_TYPE',
] as const;

/**
 * Outcomes that come from no route: the connection ends, or uWebSockets.js itself answers
 * (spec/operations.md#refusals-by-the-http-library).
 */
export const FRAMING_ENDS = ['end', 'page 400', 'page 431', 'page 505'] as const;

/** Outcome of a request; `page 501` only of `node:http`, for a method that it does not know. */
export type Outcome = (typeof LISTED)[number] | (typeof FRAMING_ENDS)[number] | 'page 501';

/** Outcomes of a request that ends early: `node:http` answers where the client still reads. */
export const EARLY_END: readonly Outcome[] = IS_NODE_HTTP ? ['end', 'page 400'] : ['end'];

/** Outcomes of a request with another method. */
export const OTHER_METHOD: readonly Outcome[] = [
  '405 METHOD_NOT_ALLOWED',
  ...(IS_NODE_HTTP ? (['page 501'] as const) : []),
];

/** A mutation of a request. */
export interface Mutation {
  readonly name: string;
  /** Allowed outcomes when it is applied alone; only `200` for a mutation that preserves the meaning. */
  readonly outcomes: readonly Outcome[];
  /** Whether it cannot be combined, because it fills a limit to the byte. */
  readonly isAlone: boolean;
  readonly apply: (request: RequestParts, draw: Draw) => RequestParts;
}

type Apply = Mutation['apply'];

/** Defines a mutation that preserves the meaning. */
export function same(name: string, apply: Apply): Mutation {
  return { name, outcomes: ['200'], isAlone: false, apply };
}

/** Defines a mutation with its allowed outcomes. */
export function becomes(outcomes: Outcome | readonly Outcome[], name: string, apply: Apply): Mutation {
  return { name, outcomes: typeof outcomes === 'string' ? [outcomes] : outcomes, isAlone: false, apply };
}

/** Changes a request with a value that is drawn. */
type Change<T> = (request: RequestParts, value: T) => RequestParts;
/** Values of which one is drawn; some are computed from the request. */
type Values<T> = readonly T[] | ((request: RequestParts) => readonly T[]);

function withOne<T>(change: Change<T>, values: Values<T>): Apply {
  return (request, draw) => {
    const list = typeof values === 'function' ? values(request) : values;
    return change(request, pick(list, draw));
  };
}

/** Defines a mutation that preserves the meaning with each of the values. */
export function sameWithOne<T>(name: string, change: Change<T>, values: Values<T>): Mutation {
  return same(name, withOne(change, values));
}

/** Defines a mutation whose allowed outcomes are the same with each of the values. */
export function becomesWithOne<T>(
  outcomes: Outcome | readonly Outcome[],
  name: string,
  change: Change<T>,
  values: Values<T>,
): Mutation {
  return becomes(outcomes, name, withOne(change, values));
}

/** Defines a mutation after which the package is invalid, whatever else is changed. */
export function invalidates(name: string, apply: Apply): Mutation {
  return becomes('400 PCP_VALIDATION_FAILED', name, apply);
}

/** Defines a random mutation, for which every listed outcome is allowed. */
export function anything(name: string, apply: Apply): Mutation {
  return becomes(LISTED, name, apply);
}

/** Marks a mutation as not combinable, because others would move it off its limit. */
export function alone(mutation: Mutation): Mutation {
  return { ...mutation, isAlone: true };
}
