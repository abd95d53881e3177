/** Options of a sign-in at the demo. */
export interface Choices {
  readonly responseType: string;
  /** Empty for the default of the response type. */
  readonly responseMode: string;
  readonly scope: string;
  /** Empty for any level that the wallet has. */
  readonly acrValues: string;
}

/** One value of an option. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
}

/** Response types (spec/sign-in.md#response-types), the usual one first. */
export const RESPONSE_TYPES: readonly Choice[] = [
  {
    value: 'code',
    label: 'code',
    detail: 'What most apps use: a code comes back and is exchanged for tokens, with PKCE.',
  },
  { value: 'id_token', label: 'id_token', detail: 'The ID token comes back through the browser, no more.' },
  { value: 'id_token token', label: 'id_token token', detail: 'ID token and access token come back.' },
  { value: 'code id_token', label: 'code id_token', detail: 'An ID token at once, and a code for more.' },
  { value: 'code token', label: 'code token', detail: 'An access token at once, and a code for more.' },
  { value: 'code id_token token', label: 'code id_token token', detail: 'All three at once.' },
];

/** Response modes. */
export const RESPONSE_MODES: readonly Choice[] = [
  { value: '', label: 'default of the response type' },
  { value: 'query', label: 'query: behind ? in the address (code only)' },
  { value: 'fragment', label: 'fragment: behind # in the address' },
  { value: 'form_post', label: 'form_post: in a form that the browser posts' },
];

/** Scopes that the app can request. */
export const SCOPES: readonly Choice[] = [
  { value: 'openid', label: 'openid: an identifier for this app' },
  { value: 'openid email', label: 'openid email: and an address' },
  { value: 'openid profile', label: 'openid profile: and names' },
  { value: 'openid email profile', label: 'openid email profile: and both' },
];

/** Levels of proof that the app can accept. */
export const LEVELS: readonly Choice[] = [
  { value: '', label: 'orb or device' },
  { value: 'orb', label: 'orb only' },
];
