import type { Fault } from './faults.ts';
import { envName } from './setting.ts';
import type { Config } from './types.ts';

/** Settings that are valid each and impossible together. */
export function consistencyFaults({ bridge, http }: Config): Fault[] {
  if (!bridge.enabled || bridge.bodyLimitBytes <= http.bodyLimitBytes) return [];
  const key = 'http.bodyLimitBytes';
  return [
    `${key} (${envName(key)}): expected at least bridge.bodyLimitBytes (${bridge.bodyLimitBytes}), since no body may be larger; got ${http.bodyLimitBytes}`,
  ];
}

/** Settings that are valid each but defeat each other, one sentence a pair. */
export function consistencyWarnings(config: Config): string[] {
  const warnings: string[] = [];
  if (config.verify.maxResponses > config.engine.maxQueue) {
    warnings.push(
      `verify.maxResponses (${config.verify.maxResponses}) is above engine.maxQueue (${config.engine.maxQueue}): the largest requests can never be admitted`,
    );
  }
  if (config.verify.deadlineMs >= config.http.handlerTimeoutMs) {
    warnings.push(
      `verify.deadlineMs (${config.verify.deadlineMs}) is not below http.handlerTimeoutMs (${config.http.handlerTimeoutMs}): the latter answers first`,
    );
  }
  if (config.verify.rateLimitPerSecond === 0 && config.verify.rateLimitBurst > 0) {
    warnings.push('verify.rateLimitBurst has no effect while verify.rateLimitPerSecond is 0');
  }
  return warnings;
}
