import type { ListSetting, Setting } from './setting.ts';
import { byProfile, flag, integer, keyBinding, type Row } from './setting-rows.ts';

const CEREMONY_KEY = 'worldid4';
const TRAPDOOR_KEY = 'trapdoor-15';

function issuers<const E extends string>(
  environment: E,
  value: readonly string[],
): Row<ListSetting, `verify.worldid4.issuers.${E}`, readonly string[]> {
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

/** Returns the settings of the issuer of device attestations for an environment. */
function attestation<const E extends string>(environment: E, issuer: string) {
  const key = `verify.worldid4.attestation.${environment}` as const;
  return [
    {
      type: 'text',
      key: `${key}.issuer`,
      default: issuer,
      pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$',
      expected: 'a host name',
      sentence: `Issuer of device attestations of the environment ${environment}: the claim \`iss\` of their tokens.`,
    },
    {
      type: 'text',
      key: `${key}.jwksUrl`,
      default: {
        text: `\`https://<issuer>/.well-known/jwks.json\`, with the value of \`${key}.issuer\``,
        compute: (input) => `https://${input.value(`${key}.issuer`)}/.well-known/jwks.json`,
        follows: `${key}.issuer`,
      },
      pattern:
        '^(https://[^\\s/?#@]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?)(/[^\\s#]{0,2000})?$',
      expected: 'an https URL, or an http URL of this machine',
      sentence:
        'Address of the keys of that issuer, as a JSON Web Key Set; kept for a day, and read again when a token needs another key.',
    },
    {
      type: 'text',
      key: `${key}.jwksFile`,
      default: undefined,
      pattern: '^[^\\u0000]{1,4096}$',
      expected: 'a path',
      sentence: `File with those keys in place of \`${key}.jwksUrl\`, for a service without access to the internet; relative to the working directory.`,
    },
  ] as const satisfies readonly Setting[];
}

/** Settings of World ID 4.0 proofs (spec/worldid4.md#switches). */
export const WORLDID4_SETTINGS = [
  flag(
    'verify.worldid4.enabled',
    false,
    'Accepts World ID 4.0 proofs (`protocol_version` "4.0"); if off, that version is unknown.',
  ),
  flag(
    'verify.worldid4.boundSessions',
    false,
    'Accepts World ID 4.0 proofs of uniqueness that are bound to a session; off until a deployed wallet is known to make them.',
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
  {
    type: 'choice',
    key: 'verify.worldid4.integrity',
    choices: ['ignore', 'verify'],
    default: 'ignore',
    sentence:
      'Whether an `integrity_bundle`, in which a device attests that it handed over the proofs, is ignored or verified; applies to World ID 3.0, too.',
  },
  ...attestation('production', 'attestation.worldcoin.org'),
  ...attestation('staging', 'attestation.worldcoin.dev'),
] as const satisfies readonly Setting[];
