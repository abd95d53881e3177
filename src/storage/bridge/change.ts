import type { Driver } from '../drivers/driver.ts';
import { refusalOf, type Step } from '../transaction.ts';
import type { BridgeMessage } from '../values.ts';
import {
  addTotalUsage,
  addUsage,
  type BridgeRefusal,
  type BridgeSender,
  type BridgeUsage,
  type ChargeRow,
  deleteSeenCharge,
  insertCharge,
  isMore,
  withinBridge,
  withinShare,
} from './charges.ts';
import {
  type BridgeCharge,
  type BridgeRow,
  deleteSeenMessage,
  insertMessage,
  messageBytes,
  rowBytes,
  type SeenMessage,
  toMessage,
} from './messages.ts';

/**
 * Bytes of `iv` and `payload` reserved for the answer: charged with each request of a stranger, and granted
 * to every sign-in of this service. An answer up to this size always fits. A wallet's answer to a sign-in has
 * about 1 KB.
 */
const RESERVED_ANSWER_BYTES = 4096;

/** A change to the messages of one id, made only if the removed ones are unchanged since they were read. */
export interface BridgeChange {
  readonly removes: readonly SeenMessage[];
  readonly adds: readonly BridgeRow[];
  readonly charges: readonly ChargeRow[];
  /** The share and the bounds to check if the change adds messages; absent if it adds none. */
  readonly sender?: BridgeSender;
}

/** Result of a change. `overtaken`: a row has changed since it was read. Only `made` has written anything. */
export interface ChangeResult<Outcome extends string = 'made' | 'overtaken' | BridgeRefusal> {
  readonly outcome: Outcome;
  /** Message of the first removed row, if it had one. */
  readonly message?: BridgeMessage | undefined;
}

/** Returns the charge of a row to an address. A request is also charged with the space for its answer. */
export function chargeOf(
  row: BridgeRow,
  { addressKey, networkKey }: Pick<BridgeCharge, 'addressKey' | 'networkKey'>,
): ChargeRow {
  const { id, kind, expiresAt } = row;
  const bytes = rowBytes(row) + (kind === 'request' ? RESERVED_ANSWER_BYTES : 0);
  return { id, kind, addressKey, networkKey, bytes, expiresAt };
}

/** Whether an answer fits into the space that is reserved with every request. */
export function fitsReservedSpace(answer: BridgeMessage): boolean {
  return messageBytes(answer) <= RESERVED_ANSWER_BYTES;
}

/** Makes a change in one transaction. */
export async function makeChange(driver: Driver, change: BridgeChange, now: number): Promise<ChangeResult> {
  const steps = stepsOf(change, now);
  const written = await driver.write(steps.map(([statement]) => statement));
  if (!written.ok) return { outcome: refusalOf(steps, written.guard) };
  if (change.removes.length === 0) return { outcome: 'made' };
  const [row] = written.results[steps.findIndex(([, word]) => word === 'overtaken')] ?? [];
  return { outcome: 'made', message: row && toMessage(row) };
}

/** Returns the growth, which may be negative, of the usage of the change's address and of all strangers. */
export function growthOf({ removes, charges, sender }: BridgeChange): {
  readonly own: BridgeUsage;
  readonly all: BridgeUsage;
} {
  const released = chargesOf(removes);
  const own = difference(charges, released, ({ addressKey }) => addressKey === sender?.addressKey);
  return { own, all: difference(charges, released) };
}

/**
 * Builds the statements of a change. Usage of networks comes first, in the order of their keys, and the total
 * last: transactions on the same message concern the same network, so they wait for each other there and
 * cannot deadlock.
 */
function stepsOf(change: BridgeChange, now: number): Step<'overtaken' | BridgeRefusal>[] {
  const { removes, adds, charges, sender } = change;
  const released = chargesOf(removes);
  const { own, all } = growthOf(change);
  const networks = [...new Set([...released, ...charges].map(({ networkKey }) => networkKey))].sort();
  const steps: Step<'overtaken' | BridgeRefusal>[] = [];
  for (const key of networks) {
    const delta = difference(charges, released, ({ networkKey }) => networkKey === key);
    for (const statement of addUsage(key, delta)) steps.push([statement]);
  }
  for (const seen of removes) {
    steps.push([deleteSeenMessage(seen), 'overtaken']);
    if (seen.charge !== null) steps.push([deleteSeenCharge(seen, seen.charge), 'overtaken']);
  }
  for (const row of adds) steps.push([insertMessage(row), 'overtaken']);
  for (const row of charges) steps.push([insertCharge(row)]);
  if (sender !== undefined && isMore(own)) steps.push([withinShare(sender, now), 'share_full']);
  if (networks.length > 0) for (const statement of addTotalUsage(all)) steps.push([statement]);
  if (sender !== undefined && isMore(all)) steps.push([withinBridge(sender.limits), 'full']);
  return steps;
}

function chargesOf(seen: readonly SeenMessage[]): BridgeCharge[] {
  return seen.flatMap(({ charge }) => charge ?? []);
}

function difference(
  added: readonly BridgeCharge[],
  released: readonly BridgeCharge[],
  concerns: (charge: BridgeCharge) => boolean = () => true,
): BridgeUsage {
  const [more, less] = [added.filter(concerns), released.filter(concerns)];
  const bytesOf = (charges: readonly BridgeCharge[]): number =>
    charges.reduce((sum, { bytes }) => sum + bytes, 0);
  return { entries: more.length - less.length, bytes: bytesOf(more) - bytesOf(less) };
}
