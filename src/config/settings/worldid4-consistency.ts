import { type CombinedFault, combinedFault } from '../sources/faults.ts';
import { issuerListFault } from '../values/issuer-list.ts';
import type { Config } from './types.ts';

const DAY_SECONDS = 86_400;

/** Returns faults of the settings of World ID 4.0 (spec/worldid4.md#switches). */
export function worldId4Faults({ verify }: Pick<Config, 'verify'>): CombinedFault[] {
  return Object.entries(verify.worldid4.issuers).flatMap(([environment, issuers]) => {
    const key = `verify.worldid4.issuers.${environment}`;
    const fault = issuerListFault(issuers);
    return fault === undefined ? [] : [combinedFault(key, fault)];
  });
}

/** Returns warnings about the settings of World ID 4.0 (spec/worldid4.md#switches). */
export function worldId4Warnings({ profile, verify }: Pick<Config, 'profile' | 'verify'>): string[] {
  const seconds = verify.worldid4.minExpirationThresholdSeconds;
  if (profile !== 'production' || seconds <= DAY_SECONDS) return [];
  return [
    `verify.worldid4.minExpirationThresholdSeconds (${seconds}) is above a day: World ID 4.0 proofs count for that long after their expires_at_min`,
  ];
}
