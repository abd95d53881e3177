/** Endpoints and client of an OpenID provider, for a load client. */
export interface SigninEndpoints {
  /** Address on which it listens, `http://127.0.0.1:PORT`. */
  readonly issuer: string;
  readonly port: number;
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly userinfoPath: string;
  readonly keySetPath: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Whether its sign-in requests a proof from a wallet over the bridge. */
  readonly hasWallet: boolean;
}

/** Form of access tokens. */
export type AccessTokenForm = 'at+jwt' | 'opaque';

/** An OpenID provider in its own process, with a confidential client. */
export interface SigninContender {
  readonly name: string;
  readonly isPeer: boolean;
  readonly endpoints: SigninEndpoints;
  readonly pid: number;
  readonly accessTokens: AccessTokenForm;
  /** Whether /userinfo accepts its access tokens. */
  readonly hasUserinfo: boolean;
  /** Notes shown with the figures: how durable its writes are, and what work differs. */
  readonly notes: { readonly token: string; readonly userinfo: string; readonly flow: string };
  /** Stores unused codes bound to `CODE_TERMS` and returns them. */
  codes(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** Authorization request of prepared codes. The verifier and its challenge are those of RFC 7636 B. */
export const CODE_TERMS = {
  scope: 'openid email profile',
  nonce: 'bench-nonce-0123456789abcdef',
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
} as const;

/** Lifetimes of tokens of both kinds and of codes, in seconds. */
export const TTL_SECONDS = { token: 3600, code: 300 } as const;
