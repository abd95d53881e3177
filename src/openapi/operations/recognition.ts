import { PASSKEY_LIMIT_BYTES } from '../../http/routes/public/signin/transaction/known-routes.ts';
import { PAGE_FORM_LIMIT_BYTES } from '../../http/routes/public/signin/transaction/route-parts.ts';
import { WAYS } from '../../oidc/transaction/types.ts';
import type { HeaderName, Json, PublicOperation } from '../operation.ts';
import { bodyOfAtMost, objectOf, oneOfTexts } from '../schemas.ts';

/** What the pages of a sign-in have in common. */
type PageShared = Omit<PublicOperation, 'id' | 'method' | 'paths' | 'summary' | 'success' | 'errors'>;

const FORM = 'application/x-www-form-urlencoded';
const ONLY_THE_PAGE = 'Only the page itself may send it: `Origin` or `Sec-Fetch-Site` must say so.';
const LOCATION: readonly HeaderName[] = ['Location'];

/**
 * Describes the pages and calls about recognised people (spec/sign-in.md#recognition-page, spec/sign-in.md#passkeys).
 *
 * @param errors - Codes of every call of a sign-in.
 */
export function recognitionOperations(
  base: string,
  page: PageShared,
  errors: PublicOperation['errors'],
): PublicOperation[] {
  const { hasErrorPages: _, ...jsonOnly } = page;
  const limits = [bodyOfAtMost(PAGE_FORM_LIMIT_BYTES), ...(page.limits ?? [])];
  const formErrors = [...errors, 'signin.malformed_parameters', 'signin.not_a_form'] as const;
  const passkey = (path: string, id: string, summary: string, names: readonly string[]): PublicOperation => ({
    ...jsonOnly,
    id,
    method: 'POST',
    paths: [`${base}/authorize/:txn/${path}`],
    summary,
    description: `The answer of the browser (WebAuthn), its members in base64url. ${ONLY_THE_PAGE}`,
    limits: [bodyOfAtMost(PASSKEY_LIMIT_BYTES), ...(page.limits ?? [])],
    body: {
      mediaType: 'application/json',
      schema: objectOf(Object.fromEntries(names.map((name) => [name, BASE64URL]))),
      examples: {
        passkey: { summary: 'A passkey', value: Object.fromEntries(names.map((name) => [name, 'AAAA'])) },
      },
    },
    success: { 204: { description: 'Accepted; the page is to be loaded again.' } },
    errors: [...errors, 'http.not_json', 'transaction.passkey_refused'],
  });
  return [
    {
      ...page,
      id: 'otherSignIn',
      method: 'POST',
      paths: [`${base}/authorize/:txn/other`],
      summary: 'Ask the wallet for somebody else or another version of World ID',
      description: ONLY_THE_PAGE,
      limits,
      body: {
        mediaType: FORM,
        schema: objectOf({ way: oneOfTexts(...WAYS) }),
        examples: { other: { summary: 'Somebody else', value: { way: 'other' } } },
      },
      success: { 303: { description: 'To the page of the sign-in.', headers: LOCATION } },
      errors: formErrors,
    },
    passkey('passkey', 'usePasskey', 'Find a person by a passkey, whose wallet then proves it', [
      ...(['id', 'client_data', 'authenticator_data', 'signature', 'user_handle'] as const),
    ]),
    {
      ...page,
      id: 'forgetBrowser',
      method: 'POST',
      paths: [`${base}/authorize/:txn/forget`],
      summary: 'Forget who is recognised on the browser',
      description: ONLY_THE_PAGE,
      limits,
      success: {
        303: { description: 'To the page of the sign-in.', headers: [...LOCATION, 'Set-Cookie'] },
      },
      errors,
    },
    {
      ...page,
      id: 'getKnown',
      method: 'GET',
      paths: [`${base}/authorize/:txn/known`],
      summary: 'Show what recognises the person of a completed sign-in',
      success: {
        200: { description: 'The page.', content: { 'text/html': { type: 'string' } } },
        303: {
          description: 'No proof of World ID 4.0 has completed the sign-in: to its page.',
          headers: LOCATION,
        },
      },
      errors,
    },
    {
      ...page,
      id: 'forgetKnown',
      method: 'POST',
      paths: [`${base}/authorize/:txn/known/forget`],
      summary: 'Delete something that recognises the person',
      description: `\`id\` is a name of the page, or \`all\`. ${ONLY_THE_PAGE}`,
      limits,
      body: {
        mediaType: FORM,
        schema: objectOf({ id: { type: 'string', maxLength: 43 } }),
        examples: { all: { summary: 'All of it', value: { id: 'all' } } },
      },
      success: {
        303: {
          description: 'To the page that lists it; the cookie of the browser may be removed.',
          headers: [...LOCATION, 'Set-Cookie'],
        },
      },
      errors: formErrors,
    },
    passkey('known/passkey', 'savePasskey', 'Store a new passkey of the person', [
      ...(['id', 'client_data', 'attestation', 'user_handle'] as const),
    ]),
  ];
}

const BASE64URL: Json = { type: 'string', pattern: '^[A-Za-z0-9_-]+$' };
