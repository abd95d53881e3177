/** On every answer of /authorize, /token, /userinfo, /introspect and /revoke, errors included (signin.md section 3). */
export const NO_STORE: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
