/** Every claim that the service issues, by the rules with which relying parties check it. */
import { decodeJwt } from 'jose';
import validator from 'validator';
import { describe, expect, it } from 'vitest';
import { opened } from '../support/opened.ts';
import { openBackChannel } from './support/back-channel.ts';
import { type Accepts, EMAIL_VALIDATORS } from './support/validators.ts';

const ISSUER = 'https://id.example.org';
const service = opened(() => openBackChannel({ baseUrl: ISSUER, 'claims.emailVerified': 'true' }), 'stop');
const client = opened(() => service.addClient({ emailForm: 'short' }));

// OpenID Connect Core section 2: at most 255 ASCII characters.
const isSubject: Accepts = (text) => /^[\x21-\x7e]{1,255}$/.test(text);
const isIssuer: Accepts = (text) =>
  validator.isURL(text, { protocols: ['https'], require_protocol: true, allow_fragments: false });
const isUuid: Accepts = (text) => validator.isUUID(text, 4);
const isHash: Accepts = (text) => validator.isBase64(text, { urlSafe: true, padding: false });
// The validator `person-name-prohibited-characters` of Keycloak, and the usual length of a column.
const isName: Accepts = (text) => text.length <= 255 && /^[^<>&"$%!#?§;*~/\\|^=[\]{}()\p{Cc}]+$/u.test(text);
const isWord: Accepts = (text) => /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(text);
const isEmail: Accepts = (text) => Object.values(EMAIL_VALIDATORS).every((accepts) => accepts(text));
/** A number, since RFC 7519 section 2 has no texts as times, and in seconds of this century. */
const isTime = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) > 1e9 && Number(value) < 4e9;
const isText =
  (accepts: Accepts) =>
  (value: unknown): boolean =>
    typeof value === 'string' && accepts(value);
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A claim without a rule here fails the test: it needs one before relying parties see it. */
const RULES: Readonly<Record<string, (value: unknown) => boolean>> = {
  iss: isText(isIssuer),
  sub: isText(isSubject),
  aud: isText(isWord),
  jti: isText(isUuid),
  iat: isTime,
  exp: isTime,
  auth_time: isTime,
  acr: isText(isWord),
  at_hash: isText(isHash),
  scope: isText((text) => text.split(' ').every(isWord)),
  email: isText(isEmail),
  email_verified: (value) => value === true,
  name: isText(isName),
  given_name: isText(isName),
  family_name: isText(isName),
  [`${ISSUER}/v1`]: isObject,
  [`${ISSUER}/beta`]: isObject,
};

describe('what relying parties validate', () => {
  it('is accepted, claim by claim, in the ID token and at /userinfo', async () => {
    const code = await service.issueCode(client, { scope: ['openid', 'email', 'profile'] });
    const { body } = await service.exchange(client, code);
    const authorization = `Bearer ${String(body.access_token)}`;
    const userInfo = (await service.call('GET /userinfo', { headers: { authorization } })).body;
    const idToken = decodeJwt(String(body.id_token));
    expect(userInfo.email).toBe(idToken.email);
    const claims = [...Object.entries(idToken), ...Object.entries(userInfo)];
    expect(claims.filter(([name, value]) => RULES[name]?.(value) !== true)).toEqual([]);
    expect(new Set(claims.map(([name]) => name))).toEqual(new Set(Object.keys(RULES)));
  });
});
