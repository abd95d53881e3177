import type { ListSetting, Setting } from './setting.ts';
import { byProfile, flag, integer, keyBinding } from './setting-rows.ts';

const CEREMONY_KEY = 'worldid4';
const TRAPDOOR_KEY = 'trapdoor-15';

function issuers(environment: string, value: readonly string[]): ListSetting {
  return {
    type: 'list',
    key: `verify.worldid4.issuers.${environment}`,
    default: value,
    maxItems: 256,
    pattern: '^(0|[1-9][0-9]{0,19}):[A-Za-z0-9_.-]{1,64}(\\|[A-Za-z0-9_.-]{1,64}){0,15}$',
    expected: 'pairs issuer_schema_id:identifier, more identifiers of one issuer separated by "|"',
    sentence: `Credential issuers that count in the environment ${environment}, with the identifiers that their credentials may have; anyone can register an issuer on the chain.`,
  };
}

/** Settings of World ID 4.0 proofs (spec/worldid4.md#switches). */
export const WORLDID4_SETTINGS: readonly Setting[] = [
  flag(
    'verify.worldid4.enabled',
    false,
    'Accepts World ID 4.0 proofs (`protocol_version` "4.0"); if off, that version is unknown.',
  ),
  keyBinding(
    'verify.worldid4.key.production',
    CEREMONY_KEY,
    'Id of the verifying key for World ID 4.0 proofs of the environment production.',
  ),
  keyBinding(
    'verify.worldid4.key.staging',
    byProfile(TRAPDOOR_KEY, CEREMONY_KEY),
    'Id of the verifying key for World ID 4.0 proofs of the environment staging.',
  ),
  issuers('production', ['1:proof_of_human', '9303:passport', '9310:mnc']),
  issuers('staging', ['1:proof_of_human', '9303:passport', '9310:mnc', '128:proof_of_human']),
  integer(
    'verify.worldid4.rootWindowSeconds',
    's',
    3600,
    [60, 86_400],
    'How long a root of World ID 4.0 is accepted after it was superseded.',
  ),
  integer(
    'verify.worldid4.minExpirationThresholdSeconds',
    's',
    18_000,
    [0, 315_360_000],
    'How far the bound `expires_at_min` of a World ID 4.0 proof may be in the past.',
  ),
];
