/** What a load client must know of an OpenID provider. */
export interface SigninEndpoints {
  /** Where it listens, `http://127.0.0.1:PORT`. */
  readonly issuer: string;
  readonly port: number;
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly userinfoPath: string;
  readonly keySetPath: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Whether its sign-in asks a wallet for a proof over the bridge. */
  readonly hasWallet: boolean;
}

/** What its access tokens are. */
export type AccessTokenForm = 'at+jwt' | 'opaque';

/** An OpenID provider in a process of its own, with a confidential client. */
export interface SigninContender {
  readonly name: string;
  readonly isPeer: boolean;
  readonly endpoints: SigninEndpoints;
  readonly pid: number;
  readonly accessTokens: AccessTokenForm;
  /** Whether /userinfo takes its access tokens. */
  readonly hasUserinfo: boolean;
  /** What must be known beside the figures: how durable its writes are, and what work differs. */
  readonly notes: { readonly token: string; readonly userinfo: string; readonly flow: string };
  /** Stores unused codes bound to `CODE_TERMS` and gives their texts. */
  codes(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** The authorization request that prepared codes stand for. The verifier and its challenge are those of RFC 7636 B. */
export const CODE_TERMS = {
  scope: 'openid email profile',
  nonce: 'bench-nonce-0123456789abcdef',
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
} as const;

/** Lives of both kinds of tokens, and of codes, in seconds. */
export const LIVES = { token: 3600, code: 300 } as const;
