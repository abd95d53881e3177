import type { Setting, TextSetting } from './setting.ts';
import { flag, integer, isProduction } from './setting-rows.ts';

function optionalUrl(key: string, sentence: string): TextSetting {
  return {
    type: 'text',
    key,
    default: undefined,
    pattern: '^https://[^\\s]{1,2000}$',
    expected: 'an https URL',
    sentence,
  };
}

function personName(key: string, value: string, sentence: string): TextSetting {
  return {
    type: 'text',
    key,
    default: value,
    pattern: '^[^\\u0000-\\u001f\\u007f]{1,64}$',
    expected: '1 to 64 characters',
    sentence,
  };
}

/** Address of the production wallet (signin.md 8.4). */
export const WORLD_APP_URL = 'https://world.org/verify';

/** Sign-in: lives, bounds, what tokens say, wallet and bridge (signin.md section 14). */
export const SIGNIN_SETTINGS: readonly Setting[] = [
  flag('signin.enabled', true, 'Serves the sign-in interface; switched off it answers 404.'),
  integer('signin.proofWindowSeconds', 's', 300, [60, 600], 'Time in which a wallet may answer one attempt.'),
  integer('signin.transactionTtlSeconds', 's', 900, [300, 3600], 'Life of one sign-in.'),
  integer('signin.maxAttempts', 'items', 5, [1, 100], 'Attempts in one sign-in, the first included.'),
  integer(
    'signin.maxPendingTransactions',
    'items',
    100_000,
    [1, 10_000_000],
    'Most sign-ins open at once, over all nodes; more are refused with temporarily_unavailable.',
  ),
  integer(
    'signin.maxRootAgeSeconds',
    's',
    3600,
    [60, 604_800],
    'Age up to which a Merkle root that is not the current one is accepted.',
  ),
  integer('signin.codeTtlSeconds', 's', 300, [60, 600], 'Life of an authorization code.'),
  integer('signin.accessTokenTtlSeconds', 's', 3600, [60, 86_400], 'Life of an access token.'),
  integer('signin.idTokenTtlSeconds', 's', 3600, [60, 86_400], 'Life of an ID token.'),
  optionalUrl(
    'signin.documentationUrl',
    'Page for developers: `service_documentation` of the discovery document.',
  ),
  optionalUrl('signin.policyUrl', 'Page on data use: `op_policy_uri` of the discovery document.'),
  optionalUrl('signin.termsUrl', 'Page of terms: `op_tos_uri` of the discovery document.'),
  flag(
    'signin.introspectionLegacy401',
    false,
    'Answers 401 for a token that is not active, in place of 200 with `"active": false`.',
  ),
  personName('claims.name', 'World ID User', 'Claim `name` of every person.'),
  personName('claims.givenName', 'World ID', 'Claim `given_name` of every person.'),
  personName('claims.familyName', 'User', 'Claim `family_name` of every person.'),
  flag('claims.beta', true, 'Adds the deprecated claim `{baseUrl}/beta`.'),
  flag(
    'claims.emailVerified',
    { text: 'not set', compute: () => undefined },
    'Claim `email_verified` beside `email`, for clients that insist; nobody reads that mailbox.',
  ),
  {
    type: 'text',
    key: 'bridge.url',
    default: { text: '`<baseUrl>/bridge`', compute: (input) => `${input.value('baseUrl')}/bridge` },
    pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*[^\\s/?#])?$',
    expected: 'an http or https URL without trailing slash, query and fragment',
    sentence: 'The wallet bridge of sign-in; another than the own one is spoken to over HTTP.',
  },
  {
    type: 'text',
    key: 'wallet.url',
    default: {
      text: `\`<baseUrl>/wallet\` (production \`${WORLD_APP_URL}\`)`,
      compute: (input) => (isProduction(input) ? WORLD_APP_URL : `${input.value('baseUrl')}/wallet`),
    },
    pattern: '^https?://[^\\s?#]+$',
    expected: 'an http or https URL without query and fragment',
    sentence: 'Page that the QR code opens.',
  },
  {
    type: 'choice',
    key: 'wallet.urlStyle',
    choices: ['query', 'fragment'],
    default: {
      text: '`fragment` (production `query`)',
      compute: (input) => (isProduction(input) ? 'query' : 'fragment'),
    },
    sentence: 'Where the address of the QR code holds the request; a fragment never reaches a server.',
  },
];
