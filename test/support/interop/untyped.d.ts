/** Types of the parts that tests use of packages without types. */
declare module 'passport-openidconnect' {
  import type { Strategy as PassportStrategy } from 'passport';

  /** Options of the strategy that the tests set. */
  export interface StrategyOptions {
    readonly issuer: string;
    readonly authorizationURL: string;
    readonly tokenURL: string;
    readonly userInfoURL: string;
    readonly clientID: string;
    readonly clientSecret: string;
    readonly callbackURL: string;
    readonly scope?: string | readonly string[];
    readonly nonce?: boolean;
    readonly skipUserProfile?: boolean;
  }

  /** A person as the strategy reads it from ID token and user information. */
  export interface Profile {
    readonly id: string;
    readonly displayName?: string;
    readonly emails?: readonly { readonly value: string }[];
  }

  type Verify = (issuer: string, profile: Profile, verified: (error: null, user: Profile) => void) => void;

  /** The strategy for passport. */
  export const Strategy: new (options: StrategyOptions, verify: Verify) => PassportStrategy;
}
