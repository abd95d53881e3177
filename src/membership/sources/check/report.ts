/** Types of the report on a source: facts about its providers, and one line for each comparison. */

import type { Probed } from '../../../chain/probe.ts';
import type { Block } from '../../../chain/rpc/answers.ts';
import { RpcFailure, type RpcFailureClass } from '../../../chain/rpc/rpc-failure.ts';
import type { RootSource } from '../../../config/roots/source-types.ts';
import type { ErrorCode } from '../../../errors/catalogue.ts';

/**
 * Outcome of a comparison: `note` for a condition that the source tolerates, `skip` if there was nothing to compare,
 * `fail` if the set-up is wrong.
 */
export type LineStatus = 'ok' | 'skip' | 'note' | 'fail';

/** Outcome of one comparison. */
export interface Verdict {
  readonly status: LineStatus;
  /** The finding; contains no part of a URL except its host. */
  readonly detail: string;
  /** Error of the catalogue; its cure applies unless `cure` is given. */
  readonly code?: ErrorCode;
  /** Recommended action. */
  readonly cure?: string;
}

/** One line of a report. */
export interface CheckLine extends Verdict {
  readonly name: string;
}

/** Facts about one provider; a member is undefined if the provider did not return it. */
export interface ProviderReport {
  readonly host: string;
  readonly chainId: number | undefined;
  readonly head: Block | undefined;
  readonly headAgeSeconds: number | undefined;
  readonly safe: number | undefined;
  readonly finalized: number | undefined;
  readonly takesBlockHashes: boolean | undefined;
  /** Largest number of blocks that it accepted in one request for logs. */
  readonly acceptedBlocks: number | undefined;
  readonly depth: bigint | undefined;
  /** Current root at its head, 0x and 64 hex digits. */
  readonly latestRoot: string | undefined;
}

/** Report about one source. */
export interface SourceReport {
  readonly source: RootSource;
  /** Whether any provider, or the feed, answered at all. */
  readonly isReached: boolean;
  readonly providers: readonly ProviderReport[];
  readonly lines: readonly CheckLine[];
}

const ORDER: readonly LineStatus[] = ['ok', 'skip', 'note', 'fail'];

/** Returns the outcome of a comparison that holds. */
export function ok(detail: string): Verdict {
  return { status: 'ok', detail };
}

/** Returns the outcome of a comparison that does not hold and has no error in the catalogue. */
export function failWithCure(detail: string, cure: string): Verdict {
  return { status: 'fail', detail, cure };
}

/** Returns the outcome of a comparison that does not hold. */
export function fail(detail: string, code?: ErrorCode): Verdict {
  return code === undefined ? { status: 'fail', detail } : { status: 'fail', detail, code };
}

/** Returns the outcome for a condition that the source tolerates. */
export function note(detail: string): Verdict {
  return { status: 'note', detail };
}

/** Returns the outcome of a comparison that was not made. */
export function skip(detail: string): Verdict {
  return { status: 'skip', detail };
}

/** Makes one line of the outcomes of all providers: equal ones are shown once, others with their hosts. */
export function lineOf(name: string, verdicts: readonly (readonly [host: string, Verdict])[]): CheckLine {
  const [first] = verdicts;
  if (first === undefined) return { name, ...skip('no provider can be asked') };
  const worst = verdicts.reduce((one, other) => (rank(other[1]) > rank(one[1]) ? other : one))[1];
  const isUniform = verdicts.every(([, { detail }]) => detail === first[1].detail);
  const count = verdicts.length === 1 ? '' : `, ${verdicts.length} providers`;
  const detail = isUniform
    ? `${first[1].detail}${count}`
    : verdicts.map(([host, verdict]) => `${host}: ${verdict.detail}`).join('; ');
  return { name, ...worst, detail };
}

/** Returns the value of a fact; undefined for a failure. */
export function factValue<T>(fact: Probed<T>): T | undefined {
  return 'value' in fact ? fact.value : undefined;
}

/** Returns the outcome for a fact that a provider did not return. */
export function failed({
  failure,
  message,
}: {
  readonly failure: RpcFailureClass;
  readonly message: string;
}): Verdict {
  return fail(`${failure} (${withoutQuotes(message)})`, CODES[failure]);
}

/** Returns the outcome for a call that failed. @throws any error that is not a failure of a provider */
export function failureVerdict(cause: unknown): Verdict {
  if (!(cause instanceof RpcFailure)) throw cause;
  return failed({ failure: cause.failureClass, message: cause.message });
}

const CODES: Readonly<Partial<Record<RpcFailureClass, ErrorCode>>> = {
  rate_limited: 'roots.rate_limited',
  refused: 'roots.refused',
  unreachable: 'roots.unreachable',
  bad_response: 'roots.bad_response',
  chain_mismatch: 'roots.chain_mismatch',
};

/** Removes the text of a provider from a message: it may contain its URL with the API key. */
function withoutQuotes(message: string): string {
  return message.replace(/:? ".*$/s, '');
}

function rank({ status }: Verdict): number {
  return ORDER.indexOf(status);
}
