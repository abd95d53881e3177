import { setTimeout as delay } from 'node:timers/promises';
import { refuseUnsafeStart } from '../../config/production/production-refusals.ts';
import {
  changedSettings,
  isLiveSetting,
  type LiveConfig,
  type SettingsReading,
} from '../../config/sources/changed-settings.ts';
import { digestOf, isStream } from '../../config/sources/file-contents.ts';
import type { ExaminedConfig } from '../../config/sources/loaded-config.ts';
import type { HttpServer } from '../../http/server.ts';
import type { Log } from '../../observability/log/log.ts';
import { isSameDatabase } from '../../storage/files/store-url.ts';
import { messageOf } from '../../text.ts';
import type { Part } from '../lifecycle.ts';

/** Dependencies of `createReload`. */
export interface ReloadParts {
  /** Settings at the start. */
  readonly loaded: SettingsReading;
  /** Receives the settings that take effect now. */
  readonly live: LiveConfig;
  /** Absolute paths of the files that the settings name; a change of one of them is noticed. */
  readonly files: readonly string[];
  /** Reads the settings again; only the certificate is reloaded if absent. */
  readonly examine: (() => Promise<ExaminedConfig>) | undefined;
  readonly servers: readonly Pick<HttpServer, 'reloadCertificate'>[];
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Time between two looks at the files, in milliseconds. */
  readonly intervalMs?: number;
  /** Time in which changed files must not change again, in milliseconds. */
  readonly settleMs?: number;
}

/** Reads changed files again (spec/operations.md#reload). */
export interface Reload extends Part {
  /** Reads everything again now; several calls during a run make one more. Never rejects. */
  onSignal(signal: NodeJS.Signals): Promise<void>;
}

const INTERVAL_MS = 10_000;
const SETTLE_MS = 250;
/** A file that changes all the time is read as it is in the end. */
const MAX_SETTLE_CHECKS = 20;

/** Result of one run: settings that were taken over, and what could not be. */
interface Outcome {
  readonly taken: readonly string[];
  readonly faults: readonly string[];
}

const NOTHING: Outcome = { taken: [], faults: [] };

/** Creates the part that takes over what changed in files while the service runs. */
export function createReload(parts: ReloadParts): Reload {
  const { examine, live, servers, log, intervalMs = INTERVAL_MS, settleMs = SETTLE_MS } = parts;
  const stopping = new AbortController();
  let inForce: SettingsReading = parts.loaded;
  let files = parts.files;
  /** Of the files at the last run. */
  let digest: string | undefined;
  let faults: readonly string[] = [];
  /** Changed settings that wait for a restart. */
  let waiting: readonly string[] = [];
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  /** Signal that the queued run answers; undefined if the files have changed by themselves. */
  let asking: NodeJS.Signals | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function reloadCertificates(): Promise<Outcome> {
    const results = await Promise.allSettled(servers.map((server) => server.reloadCertificate()));
    const isReloaded = results.some((result) => result.status === 'fulfilled' && result.value);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [messageOf(result.reason)] : [],
    );
    return { taken: isReloaded ? ['tls.certFile'] : [], faults: [...new Set(reasons)] };
  }

  async function reloadSettings(isAsked: boolean): Promise<Outcome> {
    if (examine === undefined) return NOTHING;
    try {
      const streams = await Promise.all(files.map(isStream));
      const stream = files[streams.indexOf(true)];
      // Whoever gave a pipe at the start does not expect changes; reading it again could wait forever.
      if (stream !== undefined && !isAsked) return NOTHING;
      if (stream !== undefined)
        throw new Error(`${stream}: expected a file, which can be read a second time`);
      const next = await examine();
      refuseUnsafeStart(next);
      files = next.files;
      const changed = changedSettings(inForce, next);
      const { storage } = inForce.config;
      const taken = changed.filter(
        (key) =>
          isLiveSetting(key, inForce.config, next.config) &&
          (key !== 'storage.url' || isSameDatabase(storage.url, next.config.storage.url)),
      );
      waiting = changed.filter((key) => !taken.includes(key));
      live.take(next.config);
      const values = Object.fromEntries(taken.map((key) => [key, next.values[key]]));
      inForce = { ...inForce, values: { ...inForce.values, ...values } };
      return { taken, faults: [] };
    } catch (error) {
      return { taken: [], faults: [messageOf(error)] };
    }
  }

  /** Waits until no file is being written. Rejects if the service stops. */
  async function settle(): Promise<void> {
    for (let check = 0; check < MAX_SETTLE_CHECKS; check++) {
      digest = await digestOf(files);
      await delay(settleMs, undefined, { signal: stopping.signal, ref: false });
      if (digest === (await digestOf(files))) return;
    }
  }

  async function run(signal: NodeJS.Signals | undefined): Promise<void> {
    await settle();
    const isAsked = signal !== undefined;
    const former = { faults: faults.join('\n'), waiting: waiting.join() };
    const outcomes = [await reloadCertificates(), await reloadSettings(isAsked)];
    const taken = outcomes.flatMap((outcome) => outcome.taken);
    faults = outcomes.flatMap((outcome) => outcome.faults);
    if (isAsked || taken.length > 0) {
      const what = taken.length === 0 ? 'nothing has changed that takes effect now' : taken.join(', ');
      const reason = signal ?? 'file changed';
      log.info(`files were read again: ${what}`, { event: 'reload.done', reason, settings: taken });
    }
    if (faults.length > 0 && (isAsked || faults.join('\n') !== former.faults)) {
      log.warn('changed files cannot be used; what was in use stays in use', {
        event: 'reload.failed',
        reason: faults.join('\n'),
      });
    }
    if (waiting.length > 0 && (isAsked || waiting.join() !== former.waiting)) {
      log.warn(`changed, but takes effect at the next start only: ${waiting.join(', ')}`, {
        event: 'reload.restart_needed',
        settings: waiting,
      });
    }
  }

  /** Runs after the run under way, once for all that ask meanwhile. */
  function queue(signal?: NodeJS.Signals): Promise<void> {
    asking ??= signal;
    queued ??= running.then(() => {
      // Only the end of the service ends a run early.
      running = run(asking).catch(() => undefined);
      queued = undefined;
      asking = undefined;
      return running;
    });
    return queued;
  }

  /** Reads the files again if they differ from those of the last run, or could not be used then. */
  async function look(): Promise<void> {
    if (digest !== (await digestOf(files)) || faults.length > 0) await queue();
  }

  let looking: Promise<void> | undefined;
  const tick = (): void => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  const end = (): void => {
    stopping.abort();
    clearInterval(timer);
  };

  return {
    name: 'reload',
    async onSignal(signal) {
      if (!stopping.signal.aborted) return await queue(signal);
      log.warn(`${signal} is ignored: the service stops`, { event: 'signal.ignored', signal });
    },
    start() {
      if (files.length > 0) timer = setInterval(tick, intervalMs).unref();
    },
    // Without waiting: a file system that does not answer must not keep the listeners from draining.
    drain: end,
    async stop() {
      end();
      await Promise.all([looking, queued, running]);
    },
    metrics({ reloadUnusedChanges }) {
      reloadUnusedChanges.set({ reason: 'unusable' }, faults.length);
      reloadUnusedChanges.set({ reason: 'restart' }, waiting.length);
    },
  };
}
