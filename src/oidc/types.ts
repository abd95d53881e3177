import type { Level, ResponseType } from '../storage/index.ts';
import type { Language } from './languages.ts';

/** How an authorization response travels. */
export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** Who signed in, as tokens say it. */
export interface Subject {
  /** Canonical nullifier: `0x` and 64 lower-case hex digits. */
  readonly sub: string;
  readonly level: Level;
  /** Unix seconds at which the proof was verified. */
  readonly authTime: number;
}

/** What tokens are made of. */
export interface Grant {
  readonly clientId: string;
  /** Granted scopes in the order of the request. */
  readonly scope: readonly string[];
  /** As the relying party sent it; absent when it sent none. */
  readonly nonce?: string;
  readonly subject: Subject;
}

/** A checked authorization request; JSON as it is, so that a transaction can hold it. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  /** Granted scopes: known ones, once each, in the order of the request. */
  readonly scope: readonly string[];
  readonly state?: string;
  readonly nonce?: string;
  /** S256 challenge; only where the type contains `code`. */
  readonly codeChallenge?: string;
  /** Only a proof over the tree of orbs is accepted. */
  readonly requiresOrb: boolean;
  /** First language of `ui_locales` that there are pages in; absent where the browser decides. */
  readonly language?: Language;
}
