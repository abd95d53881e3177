import { NAME_CHARACTER, NAME_RULE } from '../../text.ts';
import type { ComputedDefault, DefaultInput, Setting, TextSetting } from './setting.ts';
import { byProfile, flag, integer, isProduction, type Row } from './setting-rows.ts';

/** Address of the production wallet (spec/sign-in.md#connect-url). */
export const WORLD_APP_URL = 'https://world.org/verify';
/** Download page of the production wallet. */
const WORLD_APP_DOWNLOAD_URL = 'https://world.org/download';

function optionalUrl<const K extends string>(key: K, sentence: string): Row<TextSetting, K, undefined> {
  return {
    type: 'text',
    key,
    default: undefined,
    pattern: '^https://[^\\s]{1,2000}$',
    expected: 'an https URL',
    sentence,
  };
}

const PERSON_NAME = {
  pattern: `^${NAME_CHARACTER}{1,64}$`,
  expected: `1 to 64 characters ${NAME_RULE}`,
} as const;

function personName<const K extends string>(
  key: K,
  value: string,
  sentence: string,
): Row<TextSetting, K, string> {
  return {
    type: 'text',
    key,
    default: value,
    ...PERSON_NAME,
    sentence,
  };
}

function accent<const K extends string>(
  key: K,
  theme: 'light' | 'dark',
  unset: string,
): Row<TextSetting, K, ComputedDefault<undefined>> {
  return {
    type: 'text',
    key,
    default: { text: unset, compute: () => undefined },
    pattern: '^#[0-9a-fA-F]{6}$',
    expected: 'a colour as #rrggbb',
    sentence: `Colour of links, buttons and focus rings of the pages in the ${theme} theme; the service does not start if its contrast with their backgrounds is below 4.5:1.`,
  };
}

/** Whether the development wallet page is used as the wallet. */
const isOwnWallet = (input: DefaultInput): boolean =>
  input.value('wallet.url') === `${input.value('baseUrl')}/wallet`;

const isWorldApp = (input: DefaultInput): boolean => input.value('wallet.url') === WORLD_APP_URL;

/** Returns the host of `baseUrl`; a value that is not a URL is refused elsewhere. */
function hostOfBaseUrl(input: DefaultInput): string {
  const baseUrl = String(input.value('baseUrl'));
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

/** Sign-in: lifetimes, limits, claims, wallet and bridge (spec/sign-in.md#settings). */
export const SIGNIN_SETTINGS = [
  flag('signin.enabled', true, 'Serves the sign-in interface; if off, it answers 404.'),
  integer('signin.proofWindowSeconds', 's', 300, [60, 600], 'Time for a wallet to answer one attempt.'),
  integer('signin.transactionTtlSeconds', 's', 900, [300, 3600], 'Lifetime of one sign-in.'),
  integer('signin.maxAttempts', 'items', 5, [1, 100], 'Attempts in one sign-in, the first included.'),
  integer(
    'signin.maxPendingTransactions',
    'items',
    500_000,
    [1, 10_000_000],
    'Maximum number of open sign-ins, over all processes; more are refused with temporarily_unavailable.',
  ),
  integer(
    'signin.maxPendingBytes',
    'bytes',
    4_294_967_296,
    [1_048_576, 1_099_511_627_776],
    'Maximum total bytes of open sign-ins, over all processes: their requests, and 6144 for each.',
  ),
  integer(
    'signin.maxPendingPercentPerClient',
    'percent',
    50,
    [1, 100],
    'Share of these two limits that one client may use, at least 100 sign-ins; beyond it, only that client is refused.',
  ),
  integer(
    'signin.maxBegunBytesPerNetwork',
    'bytes',
    {
      text: '`16777216` (test and bench `0`)',
      compute: ({ profile }) => (profile === 'test' || profile === 'bench' ? 0 : 16_777_216),
    },
    [0, 1_099_511_627_776],
    'Maximum total bytes of sign-ins that one network (an IPv4 address, an IPv6 /48) may start within `signin.transactionTtlSeconds`, finished ones included, counted as in `signin.maxPendingBytes` and over all processes; 0 turns the limit off.',
  ),
  integer(
    'signin.maxRootAgeSeconds',
    's',
    3600,
    [60, 604_800],
    'Age up to which a Merkle root that is not the current one is accepted.',
  ),
  integer('signin.codeTtlSeconds', 's', 60, [60, 600], 'Lifetime of an authorization code.'),
  integer('signin.accessTokenTtlSeconds', 's', 3600, [60, 86_400], 'Lifetime of an access token.'),
  integer('signin.idTokenTtlSeconds', 's', 3600, [60, 86_400], 'Lifetime of an ID token.'),
  integer(
    'signin.sessionSeconds',
    's',
    0,
    [0, 2_592_000],
    'How long a person who asks for it stays signed in to an app on a browser, counted from the proof; 0 turns sessions and sign-out off.',
  ),
  flag(
    'signin.allowLocalLogout',
    byProfile(true, false),
    'Allows a `backchannel_logout_uri` that is http, or at an address of this machine or its link: loopback, link-local or unspecified.',
  ),
  integer(
    'signin.refreshTokenSeconds',
    's',
    2_592_000,
    [60, 31_536_000],
    'How long refresh tokens of one consent work, for apps that may have them.',
  ),
  integer('signin.pushedRequestSeconds', 's', 90, [30, 600], 'Lifetime of a pushed authorization request.'),
  optionalUrl(
    'signin.documentationUrl',
    'Documentation for developers: `service_documentation` of the discovery document.',
  ),
  optionalUrl(
    'signin.policyUrl',
    'Privacy policy, linked from the pages: `op_policy_uri` of the discovery document.',
  ),
  optionalUrl(
    'signin.termsUrl',
    'Terms of use, linked from the pages: `op_tos_uri` of the discovery document.',
  ),
  {
    type: 'text',
    key: 'signin.operatorName',
    default: { text: 'host of `baseUrl`', compute: hostOfBaseUrl, follows: 'baseUrl' },
    ...PERSON_NAME,
    sentence: 'Who runs the service, as the pages name it.',
  },
  {
    type: 'text',
    key: 'signin.logoFile',
    default: undefined,
    pattern: '^[^\\u0000]{1,4096}$',
    expected: 'a path',
    sentence:
      'Picture next to the name of the operator: PNG, JPEG, WebP or SVG of at most 64 KiB; relative to the working directory.',
  },
  accent('signin.accentColor', 'light', 'blue'),
  accent(
    'signin.accentColorDark',
    'dark',
    '`signin.accentColor`, mixed with white until it is readable; else light blue',
  ),
  flag(
    'signin.introspectionLegacy401',
    false,
    'Answers 401 for a token that is not active, in place of 200 with `"active": false`.',
  ),
  {
    type: 'choice',
    key: 'signin.emailForm',
    choices: ['long', 'short'],
    default: 'long',
    sentence:
      'Form of the placeholder e-mail address for apps that are added from now on without a form of their own; `short` is one that validators of relying parties accept.',
  },
  personName('claims.name', 'World ID User', 'Claim `name` of every person.'),
  personName('claims.givenName', 'World ID', 'Claim `given_name` of every person.'),
  personName('claims.familyName', 'User', 'Claim `family_name` of every person.'),
  flag('claims.beta', true, 'Adds the deprecated claim `{baseUrl}/beta`.'),
  {
    type: 'boolean',
    key: 'claims.emailVerified',
    default: undefined,
    sentence:
      'Adds the claim `email_verified` with this value, for clients that require it; nobody reads that mailbox.',
  },
  {
    type: 'text',
    key: 'bridge.url',
    default: {
      text: '`<baseUrl>/bridge`',
      compute: (input) => `${input.value('baseUrl')}/bridge`,
      follows: 'baseUrl',
    },
    pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*[^\\s/?#])?$',
    expected: 'an http or https URL without trailing slash, query and fragment',
    sentence: 'The wallet bridge of sign-in; a bridge other than the built-in one is called over HTTP.',
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
    sentence: 'Where the URL of the QR code holds the request; a fragment never reaches a server.',
  },
  {
    type: 'text',
    key: 'wallet.name',
    default: {
      text: '`World App` or `Proofgate Demo Wallet` where `wallet.url` is theirs, else not set',
      compute: (input) =>
        isWorldApp(input) ? 'World App' : isOwnWallet(input) ? 'Proofgate Demo Wallet' : undefined,
    },
    ...PERSON_NAME,
    sentence: 'Name of the wallet that people need, as the sign-in page shows it.',
  },
  {
    type: 'text',
    key: 'wallet.downloadUrl',
    default: {
      text: `\`${WORLD_APP_DOWNLOAD_URL}\` or \`<baseUrl>/wallet\` where \`wallet.url\` is theirs, else not set`,
      compute: (input) =>
        isWorldApp(input)
          ? WORLD_APP_DOWNLOAD_URL
          : isOwnWallet(input)
            ? String(input.value('wallet.url'))
            : undefined,
    },
    pattern: '^https?://[^\\s]{1,2000}$',
    expected: 'an http or https URL',
    sentence: 'Page where people get the wallet; the sign-in page links to it.',
  },
] as const satisfies readonly Setting[];
