import type { Setting, TextSetting } from './setting.ts';
import { integer, type Row } from './setting-rows.ts';

/** Key of the setting with the signing key of a relying party. */
export const SIGNING_KEY = 'rp.signingKey';
/** Key of the setting with the signing key of sign-in. */
export const SIGNIN_SIGNING_KEY = 'signin.worldid4.signingKey';

/** `rp_` and the eight bytes of `proofgat`. */
const DEVELOPMENT_RP_ID = 'rp_70726f6f66676174';

function signingKey<const K extends string>(key: K, sentence: string): Row<TextSetting, K, undefined> {
  return {
    type: 'text',
    key,
    isSecret: true,
    default: undefined,
    pattern: '^(0x)?[0-9a-fA-F]{64}$',
    expected: '32 bytes in hex, with or without 0x',
    sentence,
  };
}

/** Settings of commands for relying parties. */
export const RP_SETTINGS = [
  signingKey(
    SIGNING_KEY,
    'Key with which `rp sign-request` signs World ID 4.0 requests of a relying party. The service does not use it: keep it out of its configuration.',
  ),
] as const satisfies readonly Setting[];

/** Settings of sign-in as a relying party of World ID 4.0 (spec/sign-in.md#world-id-40). */
export const SIGNIN_WORLDID4_SETTINGS = [
  {
    type: 'text',
    key: 'signin.worldid4.rpId',
    default: {
      text: `not set (development: \`${DEVELOPMENT_RP_ID}\` while \`verify.worldid4.enabled\`)`,
      compute: ({ profile, value }) =>
        profile === 'development' && value('verify.worldid4.enabled') === true
          ? DEVELOPMENT_RP_ID
          : undefined,
      follows: 'verify.worldid4.enabled',
    },
    pattern: '^rp_(?!0{16})[0-9a-f]{16}$',
    expected: 'rp_ and 16 lower-case hex digits, not all 0',
    sentence:
      'The relying party as which sign-in asks for World ID 4.0; sign-in takes 3.0 alone if not set. Every `sub` of World ID 4.0 depends on it: another one is refused until `signin confirm-rp` confirms it.',
  },
  signingKey(
    SIGNIN_SIGNING_KEY,
    'Key with which sign-in signs its World ID 4.0 requests: the signer that is registered for `signin.worldid4.rpId`. Derived from the master key if not set, which production refuses.',
  ),
  {
    type: 'choice',
    key: 'signin.worldid4.sessionForm',
    choices: ['session', 'create_session'],
    default: 'session',
    sentence:
      'Form in which a wallet is first asked for a new session: `session` of world-id-primitives 0.14 and later, or `create_session` of earlier ones. The other one follows when a wallet cannot read it.',
  },
  integer(
    'signin.worldid4.rememberSeconds',
    's',
    34_560_000,
    [3600, 63_072_000],
    'How long a session of World ID 4.0, and the cookie or passkey that finds it, is kept after its last proof. A wallet does not prove a nullifier again for a year.',
  ),
] as const satisfies readonly Setting[];
