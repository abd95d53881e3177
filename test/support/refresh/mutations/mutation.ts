import type { Draw, RequestParts } from './request-parts.ts';

/**
 * Status and error name of spec/refresh.md#errors, as far as one enrolled holder without limits can meet
 * them.
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
 * Ends that are not of a route: the connection ends, or uWebSockets.js answers itself
 * (spec/operations.md#refusals-by-the-http-library).
 */
export const FRAMING_ENDS = ['end', 'page 400', 'page 431', 'page 505'] as const;

/** What a request is answered. */
export type Outcome = (typeof LISTED)[number] | (typeof FRAMING_ENDS)[number];

/** One way to change a request. */
export interface Mutation {
  readonly name: string;
  /** What a request with this change alone may be answered; `200` alone for a change that keeps the meaning. */
  readonly outcomes: readonly Outcome[];
  /** Not to be combined with others: it fills a limit to the byte. */
  readonly isAlone: boolean;
  readonly apply: (request: RequestParts, draw: Draw) => RequestParts;
}

type Apply = Mutation['apply'];

/** A change that keeps the meaning. */
export function same(name: string, apply: Apply): Mutation {
  return { name, outcomes: ['200'], isAlone: false, apply };
}

/** A change with the outcomes that it may have. */
export function becomes(outcomes: Outcome | readonly Outcome[], name: string, apply: Apply): Mutation {
  return { name, outcomes: typeof outcomes === 'string' ? [outcomes] : outcomes, isAlone: false, apply };
}

/** A change at random, of which nothing is known but that its answer is a listed one. */
export function anything(name: string, apply: Apply): Mutation {
  return becomes(LISTED, name, apply);
}

/** The same for a mutation that others would move off its limit. */
export function alone(mutation: Mutation): Mutation {
  return { ...mutation, isAlone: true };
}
