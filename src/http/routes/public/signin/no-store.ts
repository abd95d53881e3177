/**
 * On every answer of /authorize, /token, /userinfo, /introspect and /revoke, errors included
 * (spec/sign-in.md#response-headers).
 */
export const NO_STORE: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
