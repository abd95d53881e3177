import type { Draw, RequestParts } from './request-parts.ts';

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

/** Outcome of a request. */
export type Outcome = (typeof LISTED)[number] | (typeof FRAMING_ENDS)[number];

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

/** Defines a random mutation, for which every listed outcome is allowed. */
export function anything(name: string, apply: Apply): Mutation {
  return becomes(LISTED, name, apply);
}

/** Marks a mutation as not combinable, because others would move it off its limit. */
export function alone(mutation: Mutation): Mutation {
  return { ...mutation, isAlone: true };
}
