import { distance } from 'fastest-levenshtein';
import { ServiceError } from '../../errors/service-error.ts';
import { envName, type Origin, type Setting } from '../settings/setting.ts';

/** One line about a fault of the configuration, without the indentation of the list. */
export type Fault = string;

/** A fault of settings that are valid individually but conflict. */
export interface CombinedFault {
  readonly fault: Fault;
  /** Keys of all involved settings; if one of them has a fault of its own, this fault is only a consequence. */
  readonly settings: readonly string[];
}

/**
 * Returns a fault of conflicting settings.
 *
 * @param key - The setting to be changed.
 * @param others - Further involved settings.
 */
export function combinedFault(key: string, text: string, others: readonly string[] = []): CombinedFault {
  return { fault: `${key} (${envName(key)}): ${text}`, settings: [key, ...others] };
}

const ORIGIN_TEXT: Readonly<Record<Origin, string>> = {
  default: 'from default',
  file: 'from file',
  env: 'from env',
  'env-file': 'from the file of env',
  flag: 'from flag',
};

/** Returns the origin of a value, as text at the end of a fault. */
export function describeOrigin(origin: Origin): string {
  return ORIGIN_TEXT[origin];
}

/** Returns a value as text for a fault: JSON of at most 80 characters; for secrets and apps only length or type. */
export function shownValue(setting: Setting, value: unknown): string {
  if (setting.isSecret) {
    return typeof value === 'string' ? describeSecret(value) : `a ${typeof value}`;
  }
  if (setting.type === 'apps' || setting.type === 'sources')
    return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Returns the masked form of a secret. */
export function describeSecret(value: string): string {
  return `(set, ${value.length} characters)`;
}

/** Returns a fault of one setting: key, variable, expected and actual value, origin. */
export function settingFault(setting: Setting, text: string, origin?: Origin): Fault {
  const where = origin === undefined ? '' : `   ${ORIGIN_TEXT[origin]}`;
  return `${setting.key} (${envName(setting.key)}): ${text}${where}`;
}

/** Returns the list of faults as text for the operator. */
export function faultList(faults: readonly Fault[]): string {
  const count = `${faults.length} problem${faults.length === 1 ? '' : 's'}`;
  return [`config: ${count}`, ...faults.map((fault) => `  ${fault}`)].join('\n');
}

/** Throws `config.invalid` with all faults; does nothing if there are none. */
export function throwFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) {
    throw new ServiceError('config.invalid', faultList(faults));
  }
}

/**
 * Returns the known name nearest to a wrong one, or undefined if none is near. Case is ignored: `engine.maxqueue` finds
 * `engine.maxQueue`.
 */
export function didYouMean(wrong: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wrong.length / 4)) + 1;
  for (const name of known) {
    // Most names are excluded by their length.
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const edits = distance(wrong.toLowerCase(), name.toLowerCase());
    if (edits < bestDistance) {
      best = name;
      bestDistance = edits;
    }
  }
  return best;
}
