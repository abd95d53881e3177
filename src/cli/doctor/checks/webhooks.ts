import { lookup } from 'node:dns/promises';
import type { Config } from '../../../config/settings/types.ts';
import { webhookKey } from '../../../config/settings/webhook-settings.ts';
import { proxyOf } from '../../../egress-proxies.ts';
import type { OutboxCounts } from '../../../storage/outbox.ts';
import { maskedAddress } from '../../../text.ts';
import { REPORTED_AFTER_MS } from '../../../webhooks/operate.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const LOOKUP_TIMEOUT_MS = 3000;
const HOUR_MS = 3_600_000;

/** Inputs of the check of webhooks. */
export interface WebhookFacts {
  readonly config: Pick<Config, 'profile' | 'webhooks'>;
  /** Events that were not received; undefined if they cannot be read. */
  readonly outbox: OutboxCounts | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Finds the addresses of a host; rejects if it has none. */
  readonly resolve?: (host: string) => Promise<unknown>;
}

/** Checks that the receiver of webhooks can be found and trusted, and that it gets its events. */
export async function checkWebhooks(facts: WebhookFacts): Promise<CheckResult[]> {
  const { config, outbox, now } = facts;
  if (config.webhooks.url === undefined) return [ok('webhooks', 'off, since webhooks.url is not set')];
  const receiver = await checkReceiver(config, config.webhooks.url, facts.resolve ?? lookup);
  return [receiver, ...(outbox === undefined ? [] : [checkEvents(outbox, now)])];
}

async function checkReceiver(
  { profile, webhooks }: WebhookFacts['config'],
  url: string,
  resolve: (host: string) => Promise<unknown>,
): Promise<CheckResult> {
  const address = maskedAddress(url);
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && profile !== 'development') {
    const detail = `${address} is not https: anyone on the way reads the events`;
    return fail('webhooks', detail, 'Set webhooks.url to an https address of the receiver.');
  }
  if (webhooks.secret === undefined || webhookKey(webhooks.secret) === undefined) {
    const cure = 'Set webhooks.secret to `whsec_` and the base64 text of 24 to 64 random bytes.';
    return fail('webhooks', `events for ${address} cannot be signed: webhooks.secret is no key`, cure);
  }
  const proxy = proxyOf(url);
  // A proxy resolves names itself.
  if (proxy === undefined && !(await isFound(hostname.replace(/^\[|\]$/g, ''), resolve))) {
    const cure = 'Correct the host in webhooks.url, or the name service of this machine.';
    return fail('webhooks', `the host of ${address} has no address`, cure);
  }
  const way = proxy === undefined ? address : `${address} through ${proxy.name}`;
  if (webhooks.secretPrevious === undefined) return ok('webhooks', `events go to ${way}, signed`);
  return ok('webhooks', `events go to ${way}, signed by webhooks.secret and webhooks.secretPrevious`);
}

async function isFound(host: string, resolve: (host: string) => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((end) => {
    timer = setTimeout(() => end(false), LOOKUP_TIMEOUT_MS);
  });
  const found = resolve(host).then(
    () => true,
    () => false,
  );
  const isFoundInTime = await Promise.race([found, late]);
  clearTimeout(timer);
  return isFoundInTime;
}

function checkEvents({ pending, dead, oldestPendingAt }: OutboxCounts, now: number): CheckResult {
  const waitedMs = oldestPendingAt === null ? 0 : now - oldestPendingAt;
  if (dead > 0) {
    return warn(
      'webhook events',
      `${counted(dead)} not received and given up`,
      'See the reason in `proofgate webhooks list`, mend the receiver, then `proofgate webhooks resend ID`.',
    );
  }
  if (waitedMs > REPORTED_AFTER_MS) {
    return warn(
      'webhook events',
      `${counted(pending)} not received, the oldest for ${Math.floor(waitedMs / HOUR_MS)} h`,
      'Start the service if it does not run. Otherwise try `proofgate webhooks test`, and mend the receiver.',
    );
  }
  return ok('webhook events', pending === 0 ? 'all received' : `${pending} on the way`);
}

function counted(events: number): string {
  return events === 1 ? '1 event was' : `${events} events were`;
}
