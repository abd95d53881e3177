/** Records of requests, and a log that tests read. */

import { createLog, type Log, type LogSettings } from '../../../src/observability/log/log.ts';
import type { RequestRecord } from '../../../src/observability/log/request-record.ts';

/** A request to the verification interface that succeeded. */
export const RECORD: RequestRecord = {
  requestId: '0b9e1c7e-3b1c-4a53-8d0f-6f4f6c1f7a10',
  listener: 'public',
  route: '/api/v4/verify/:rp_id',
  method: 'POST',
  status: 200,
  durationMs: 1.23456,
  isAborted: false,
  isLogged: true,
};

/** A log in memory. */
export interface CapturedLog {
  readonly log: Log;
  readonly text: () => string;
  readonly lines: () => Record<string, unknown>[];
}

/** Settings of a log that has all requests. */
export const LOG_SETTINGS: LogSettings = {
  level: 'info',
  format: 'json',
  access: 'all',
  accessSamplePercent: 1,
  accessSlowMs: 1000,
};

/** Creates a log in memory. */
export function capturedLog(settings: Partial<LogSettings> = {}): CapturedLog {
  let written = '';
  const destination = {
    write(line: string) {
      written += line;
    },
  };
  const lines = (): string[] => written.split('\n').filter((line) => line !== '');
  return {
    log: createLog({ ...LOG_SETTINGS, ...settings, destination }),
    text: () => written,
    lines: () => lines().map((line) => JSON.parse(line)),
  };
}
