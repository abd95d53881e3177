import type { ResponseType } from '../config/apps/fields.ts';
import type { Evidence4, Level } from '../storage/values.ts';
import type { Language } from './languages.ts';

/** Delivery of an authorization response. */
export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** Subject of tokens: the person who signed in. */
export interface Subject {
  /** Canonical nullifier: `0x` and 64 lower-case hex digits. */
  readonly sub: string;
  readonly level: Level;
  /** Unix seconds at which the proof was verified. */
  readonly authTime: number;
  /** Absent for a proof of World ID 3.0. */
  readonly evidence?: Evidence4;
}

/** Contents of tokens. */
export interface Grant {
  readonly clientId: string;
  /** Granted scopes in the order of the request. */
  readonly scope: readonly string[];
  /** As the relying party sent it; absent if it sent none. */
  readonly nonce?: string;
  /** The session of the tokens; absent without one. */
  readonly sid?: string;
  readonly subject: Subject;
  /** Refresh token family of the access tokens; absent without one. */
  readonly family?: string;
  /** Thumbprint of the key to which the access token is bound; absent for a bearer token. */
  readonly jkt?: string;
}

/** A checked authorization request; plain JSON, so that a transaction can store it. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  /** Granted scopes: known ones, without duplicates, in the order of the request. */
  readonly scope: readonly string[];
  readonly state?: string;
  readonly nonce?: string;
  /** S256 challenge; only if the type contains `code`. */
  readonly codeChallenge?: string;
  /** Thumbprint of the key that must redeem the code; only if the type contains `code`. */
  readonly dpopJkt?: string;
  /** Whether only a proof over the orb tree is accepted. */
  readonly requiresOrb: boolean;
  /** `sub` of the expected person (`id_token_hint`); absent if anyone may sign in. */
  readonly hintedSub?: string;
  /** The `login_hint`, where it is one that this service reads: a `sub`, or a permission to begin anew. */
  readonly loginHint?: string;
  /** Whether the person may add the other version of World ID in this sign-in. */
  readonly mayLink?: true;
  /** First language of `ui_locales` that has pages; absent if the browser decides. */
  readonly language?: Language;
}
