import type { CircuitStatus } from '../circuit-status.ts';

/** What the server tells the pages of the demo, as JSON in `data-config` of `<main id="demo">`. */
export interface DemoConfig {
  /** The address of the service, byte for byte. */
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly urls: DemoUrls;
}

/** Where the demo goes, absolute, and what it calls, counted from the origin. */
export interface DemoUrls {
  readonly demo: string;
  readonly authorize: string;
  readonly token: string;
  readonly jwks: string;
  readonly userinfo: string;
  readonly revoke: string;
}

/** What the first page needs beside. */
export interface DemoPageConfig extends DemoConfig {
  /** Whether the development wallet can prove, when the page was drawn. */
  readonly circuit: CircuitStatus;
  /** Path where the service answers with a `CircuitStatus`. */
  readonly circuitUrl: string;
}

/** What the callback needs beside. */
export interface DemoCallbackConfig extends DemoConfig {
  /** Parameters that came as a form; absent where the response is in query or fragment. */
  readonly posted?: readonly (readonly [name: string, value: string])[];
}
