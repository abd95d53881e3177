import type { ClientSettings } from '../apps/client-of.ts';
import type { AppFields } from '../apps/fields.ts';
import type { LogoType } from '../apps/logo.ts';
import type { VerificationPolicy } from '../apps/policy.ts';
import type { ChainName } from '../roots/presets.ts';
import type { RootSource } from '../roots/source-types.ts';
import type { ProxyRules } from '../values/proxy-rules.ts';
import type { SettingRow } from './schema.ts';
import type { Setting } from './setting.ts';

/** Types of values by the type of their row; a choice is one of its words. */
interface ValueTypes {
  readonly integer: number;
  readonly boolean: boolean;
  readonly text: string;
  readonly list: readonly string[];
}

/** `undefined` if a row has no default or may have none. */
type Unset<D> = D extends undefined
  ? undefined
  : D extends { readonly compute: (input: never) => infer T }
    ? Extract<T, undefined>
    : never;

type ValueOf<S extends Setting> =
  | (S extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : S['type'] extends keyof ValueTypes
        ? ValueTypes[S['type']]
        : never)
  | Unset<S['default']>;

/** The rows with members: those with a literal key. Bindings by pattern and lists of objects are read separately. */
type MemberRow<S> = S extends { readonly type: 'apps' | 'sources' }
  ? never
  : S extends { readonly key: infer Key }
    ? string extends Key
      ? never
      : S
    : never;

type ValuesByKey = { readonly [S in MemberRow<SettingRow> as S['key']]: ValueOf<S> };

type Below<Values, Head extends string> = {
  readonly [Key in keyof Values as Key extends `${Head}.${infer Rest}` ? Rest : never]: Values[Key];
};

/** Values nested at the dots of their keys. */
type Nested<Values> = {
  readonly [Key in keyof Values & string as Key extends `${infer Head}.${string}`
    ? Head
    : Key]: Key extends `${infer Head}.${string}` ? Nested<Below<Values, Head>> : Values[Key];
};

/** The members that follow from the rows of `schema.ts`. */
export type RowMembers = Nested<ValuesByKey>;

/** Members, replaced or extended by others. */
type With<Members, Others> = Omit<Members, keyof Others> & Others;

/** Settings of roots (spec/roots.md#settings). */
export type RootsConfig = With<
  RowMembers['roots'],
  {
    readonly sources: readonly RootSource[];
    /** URLs of JSON-RPC providers by chain; they may contain API keys. */
    readonly rpc: Readonly<Partial<Record<ChainName, readonly string[]>>>;
    readonly quorum: number | 'auto';
    /** URL of a sequencer by `<environment>.<tree>`. */
    readonly oracles: Readonly<Record<string, string>>;
  }
>;

/** Typed settings in force: the members of the rows, and values that are read from several rows or from files. */
export type Config = With<
  RowMembers,
  {
    readonly verify: RowMembers['verify'] & {
      /**
       * `verify.key.<environment>`, `verify.key.<environment>.<tree>` and `verify.worldid4.key.<environment>` to key id;
       * absent: no key.
       */
      readonly keys: Readonly<Record<string, string>>;
    };
    readonly server: With<RowMembers['server'], { readonly frontEnds: number }>;
    readonly roots: RootsConfig;
    readonly apps: RowMembers['apps'] & {
      /** Apps of the configuration, read-only elsewhere. */
      readonly list: readonly ConfiguredApp[];
    };
    readonly outgoing: RowMembers['outgoing'] & {
      /** What the settings, or else the variables of the system, come to. */
      readonly proxies: ProxyRules;
    };
    readonly storage: RowMembers['storage'] & {
      /** Files from which these two were read: they are read again at each login (spec/operations.md#reload). */
      readonly loginFiles?: LoginFiles;
    };
    readonly signin: RowMembers['signin'] & {
      /** The content of `signin.logoFile`. */
      readonly logo: PageLogo | undefined;
    };
  }
>;

/** Files with the values of `storage.url` and `storage.password`; undefined for a value that is in none. */
export interface LoginFiles {
  readonly url: string | undefined;
  readonly password: string | undefined;
}

/** Issuer of device attestations for an environment (spec/worldid4.md#integrity-bundle). */
export type AttestationConfig = RowMembers['verify']['worldid4']['attestation']['production'];

/** Settings of webhooks (spec/operations.md#webhooks). */
export type WebhooksConfig = RowMembers['webhooks'];

/** An app that the configuration defines, with all defaults. */
export interface ConfiguredApp {
  readonly clientId: string;
  /** In lower case; undefined if derived from the client id. */
  readonly rpId: string | undefined;
  readonly name: string;
  readonly status: NonNullable<AppFields['status']>;
  readonly verification: NonNullable<AppFields['verification']>;
  readonly policy: VerificationPolicy;
  readonly client: ClientSettings;
  /** In plain text; undefined for a public client and for an app without sign-in. */
  readonly secret: string | undefined;
  readonly logo: { readonly contentType: LogoType; readonly bytes: Uint8Array } | undefined;
}

/** The logo of the pages; unlike the logo of an app it may be an SVG, since the operator chooses it. */
export interface PageLogo {
  readonly contentType: LogoType | 'image/svg+xml';
  readonly bytes: Uint8Array;
}

/** What `http.library` came to in this process, for log, metrics and `doctor`. */
export interface LibraryFacts {
  readonly kind: 'uws' | 'node';
  /** Name of the npm package, or `node:http`. */
  readonly package: string;
  /** Version of the package, or of Node. */
  readonly version: string;
  /** Its binary; undefined for Node. */
  readonly file: string | undefined;
  /** What the package says that it was made from: a commit or a repository; undefined for Node. */
  readonly source: string | undefined;
  /** Time in seconds for which it keeps an idle connection at least; undefined if `http.keepAliveSeconds` decides. */
  readonly idleSeconds: number | undefined;
  /** What ruled out the packages that come before it, one per package. */
  readonly passedOver: readonly string[];
}
