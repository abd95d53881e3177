/** Observes the log and metrics of single refreshes. */

import { headerOf } from '../server/raw-client.ts';
import { pollUntil } from '../until.ts';
import { type CustodyPackage, makePackage } from './custody-package.ts';
import { portOf, type RefreshDraft, sendDraft } from './draft.ts';
import { type TestHolder, testHolder } from './holder.ts';
import type { RefreshService } from './service.ts';

/** A parsed line of the log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Fields in the line of every request (spec/operations.md#request-line). */
export const REQUEST_FIELDS: readonly string[] = [
  'durationMs',
  'level',
  'listener',
  'method',
  'msg',
  'requestId',
  'route',
  'status',
  'time',
];
/** Duration fields of a refresh. */
export const DURATIONS: readonly string[] = ['proofMs', 'signMs', 'commitMs'];

/** Log line and counters of one request. */
export interface Observation {
  /** Its only log line, without `REQUEST_FIELDS` and durations. */
  readonly line: LogLine;
  /** Names of the duration fields in the line. */
  readonly durations: readonly string[];
  /** Increases of refresh counters, by name. */
  readonly counted: Readonly<Record<string, number>>;
}

/** Makes requests of new holders and observes their log lines and counters. */
export interface RefreshObserver {
  /** Enrols a new holder. Returns it with its custody package. */
  person(): Promise<{ readonly holder: TestHolder; readonly custody: CustodyPackage }>;
  draftOf(holder: TestHolder, custody?: CustodyPackage): Promise<RefreshDraft>;
  /** Makes a complete request of a new holder with a package. */
  fresh(): Promise<RefreshDraft>;
  /** Log lines of refreshes so far. */
  lines(): LogLine[];
  send(draft: RefreshDraft): Promise<number>;
  countedBy(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>>;
  /**
   * Sends a request alone. @throws Error unless it has exactly one line with every field of `REQUEST_FIELDS`
   */
  observe(draft: RefreshDraft): Promise<Observation>;
}

/** Creates an observer and registers the orb of its packages at the service. */
export async function createRefreshObserver(service: RefreshService): Promise<RefreshObserver> {
  const { app, client } = service;
  let people = 0;
  const { orbId, orbKey } = makePackage();
  await service.addOrbKey(orbId, orbKey.pem);
  const observer: RefreshObserver = {
    async person() {
      people += 1;
      const holder = testHolder(`observed ${people}`);
      const custody = makePackage({ seed: `observed ${people}` });
      await service.enrol([holder], { signupId: custody.signupId });
      return { holder, custody };
    },
    draftOf: (holder, custody) =>
      client.call(holder, custody === undefined ? {} : { package: custody.fields }),
    async fresh() {
      const { holder, custody } = await observer.person();
      return await observer.draftOf(holder, custody);
    },
    lines: () => app.logLines('"route":"/api/v1/refresh"'),
    send: async (draft) => (await sendDraft(portOf(app.publicUrl), draft)).status,
    async countedBy(work) {
      const before = await counts(app.adminUrl);
      await work();
      const after = [...(await counts(app.adminUrl))];
      const more = after.map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
      return Object.fromEntries(more.filter(([, count]) => count !== 0));
    },
    async observe(draft) {
      const before = observer.lines().length;
      let id: string | undefined;
      const counted = await observer.countedBy(async () => {
        id = headerOf(await sendDraft(portOf(app.publicUrl), draft), 'x-request-id');
      });
      await pollUntil(() => observer.lines().length > before);
      const [line = {}, ...others] = observer.lines().slice(before);
      const missing = REQUEST_FIELDS.filter((name) => !(name in line));
      if (line.requestId !== id || others.length > 0 || missing.length > 0) {
        throw new Error(`expected one complete log line of ${id}, got ${JSON.stringify([line, ...others])}`);
      }
      const own = Object.entries(line).filter(([name]) => !REQUEST_FIELDS.includes(name));
      return {
        line: Object.fromEntries(own.filter(([name]) => !DURATIONS.includes(name))),
        durations: own.flatMap(([name, value]) =>
          DURATIONS.includes(name) && Number(value) > 0 ? [name] : [],
        ),
        counted,
      };
    },
  };
  return observer;
}

/** Counter increase of one refusal. */
export function refusalOf(
  kind: 'with' | 'without' | 'unknown',
  error: string,
): Readonly<Record<string, number>> {
  return { [`refresh_refusals_total{package="${kind}",error="${error}"}`]: 1 };
}

async function counts(adminUrl: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const found = text.matchAll(/^proofgate_((?:credentials_issued|refresh_refusals)_total\{[^}]*\}) (\d+)$/gm);
  return new Map([...found].map(([, name = '', count]) => [name, Number(count)]));
}
