import type { Config } from '../config/settings/types.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { Route } from '../http/exchange/exchange-types.ts';

/** An object of the document, with members named as in OpenAPI or JSON Schema. */
export type Json = Readonly<Record<string, unknown>>;

/** Settings on which the document depends. */
export type DocumentConfig = Pick<
  Config,
  | 'baseUrl'
  | 'verifyUrl'
  | 'issuerUrl'
  | 'verify'
  | 'groth16'
  | 'signin'
  | 'refresh'
  | 'bridge'
  | 'rateLimits'
>;

/** The interface whose error body an operation uses. */
export type ErrorForm = 'verify' | 'refresh' | 'signin';

/** Headers of answers, by their names in `components.headers`. */
export type HeaderName =
  | 'Access-Control-Allow-Origin'
  | 'Access-Control-Expose-Headers'
  | 'Cache-Control'
  | 'Content-Language'
  | 'Content-Security-Policy'
  | 'Cross-Origin-Opener-Policy'
  | 'DPoP-Nonce'
  | 'ETag'
  | 'Location'
  | 'Pragma'
  | 'Referrer-Policy'
  | 'Retry-After'
  | 'Set-Cookie'
  | 'Strict-Transport-Security'
  | 'Vary'
  | 'WWW-Authenticate'
  | 'X-Content-Type-Options'
  | 'X-Frame-Options'
  | 'X-Request-Id'
  | 'X-Robots-Tag';

/** A successful answer. */
export interface SuccessAnswer {
  readonly description: string;
  /** Headers in addition to those of the operation. */
  readonly headers?: readonly HeaderName[];
  /** Schema by media type; null for content that no schema describes, such as a picture. */
  readonly content?: Readonly<Record<string, Json | null>>;
}

/** A body of a request. */
export interface RequestBody {
  readonly mediaType: 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';
  readonly schema: Json;
  /** Complete bodies by name; the first runs on a service of the development profile. */
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  readonly isOptional?: true;
}

/** A parameter of path, query or header, in the notation of OpenAPI. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
  readonly example?: string | number;
}

/** Description of one operation of the public listener. */
export interface PublicOperation {
  /** `operationId`; aliases of the path get a number as suffix. */
  readonly id: string;
  readonly method: Route['method'];
  /** Patterns as in the route table: the main one, then aliases. */
  readonly paths: readonly string[];
  /** Whether HEAD is answered like GET. */
  readonly hasHead?: true;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Limits in addition to those of the listener, such as the size of the body; one sentence each. */
  readonly limits?: readonly string[];
  /** Name of the security scheme; absent if there is none. */
  readonly security?: 'accessToken' | 'appToken' | 'clientSecret' | 'transaction';
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  /** Headers that any answer can have, errors included, in addition to those of every answer. */
  readonly headers: readonly HeaderName[];
  readonly success: Readonly<Record<number, SuccessAnswer>>;
  readonly errorForm: ErrorForm;
  /** Whether errors are pages unless the request prefers JSON. */
  readonly hasErrorPages?: true;
  /** Whether it is served while the service drains or is full. */
  readonly isAlwaysServed?: true;
  /** Whether requests are limited per address. */
  readonly isRateLimited?: true;
  /** Refusals in addition to those of every operation. */
  readonly errors: readonly ErrorCode[];
}
