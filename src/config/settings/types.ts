import type { ClientSettings } from '../apps/client-of.ts';
import type { AppFields } from '../apps/fields.ts';
import type { LogoType } from '../apps/logo.ts';
import type { VerificationPolicy } from '../apps/policy.ts';
import type { RootsConfig } from '../roots/source-types.ts';

/**
 * Profile of a process (spec/operations.md#profiles). `test` and `bench` are development plus the
 * known-trapdoor key.
 */
export type Profile = 'development' | 'production' | 'test' | 'bench';

/** Who signs device attestations of an environment (spec/worldid4.md#integrity-bundle). */
export interface AttestationConfig {
  /** The claim `iss`. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** File with the keys, in place of `jwksUrl`. */
  readonly jwksFile: string | undefined;
}

/** Typed settings in force; keys as in `schema.ts`, nested at their dots. */
export interface Config {
  readonly profile: Profile;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly issuerUrl: string;
  readonly verifyUrl: string;
  readonly verify: {
    readonly enabled: boolean;
    readonly bodyLimitBytes: number;
    readonly maxResponses: number;
    /** Whether the environment `sandbox` is refused or read as `staging`. */
    readonly sandbox: 'refuse' | 'staging';
    readonly deadlineMs: number;
    /** Requests per second and address; 0 is off. */
    readonly rateLimitPerSecond: number;
    readonly rateLimitBurst: number;
    /**
     * `verify.key.<environment>`, `verify.key.<environment>.<tree>` and `verify.worldid4.key.<environment>` to key id;
     * absent: no key.
     */
    readonly keys: Readonly<Record<string, string>>;
    readonly worldid4: {
      readonly enabled: boolean;
      /** Issuers that count, each as `issuer_schema_id:identifier|identifier`. */
      readonly issuers: { readonly production: readonly string[]; readonly staging: readonly string[] };
      readonly rootWindowSeconds: number;
      readonly minExpirationThresholdSeconds: number;
      /** Whether an `integrity_bundle` is ignored or verified, in requests of either version. */
      readonly integrity: 'ignore' | 'verify';
      /** Signer of device attestations, by environment. */
      readonly attestation: { readonly production: AttestationConfig; readonly staging: AttestationConfig };
    };
  };
  /** Check of proofs of any circuit. */
  readonly groth16: {
    readonly enabled: boolean;
    readonly maxProofs: number;
    readonly bodyLimitBytes: number;
    readonly requireToken: boolean;
  };
  readonly roots: RootsConfig;
  readonly bridge: {
    readonly enabled: boolean;
    readonly rootAlias: boolean;
    readonly bodyLimitBytes: number;
    readonly maxEntries: number;
    readonly maxBytes: number;
    readonly maxEntriesPerAddress: number;
    readonly maxBytesPerAddress: number;
    /** URL of the bridge that sign-in uses; `<baseUrl>/bridge` is the built-in one. */
    readonly url: string;
  };
  readonly signin: SigninConfig;
  readonly refresh: RefreshConfig;
  readonly claims: {
    readonly name: string;
    readonly givenName: string;
    readonly familyName: string;
    readonly beta: boolean;
    readonly emailVerified: boolean | undefined;
  };
  readonly development: {
    /** Whether the service builds the development circuit if it is missing; never in production. */
    readonly makeCircuit: boolean;
  };
  readonly wallet: {
    readonly url: string;
    readonly urlStyle: 'query' | 'fragment';
    /** Name of the wallet as people know it. */
    readonly name: string | undefined;
    /** Page where people get the wallet. */
    readonly downloadUrl: string | undefined;
  };
  /** Secrets are 32 bytes, base64 or base64url as set; undefined if not set. */
  readonly keys: {
    readonly masterKey: string | undefined;
    readonly masterKeyPrevious: string | undefined;
    readonly rotationPeriodSeconds: number;
    readonly publishLeadSeconds: number;
    readonly retireAfterSeconds: number;
    readonly jwksMaxAgeSeconds: number;
  };
  readonly apps: {
    readonly secretHmacKey: string | undefined;
    readonly secretHmacKeyPrevious: string | undefined;
    /** Apps of the configuration, read-only elsewhere. */
    readonly list: readonly ConfiguredApp[];
  };
  readonly tls: { readonly certFile: string | undefined; readonly keyFile: string | undefined };
  readonly proxy: {
    /** IP addresses or CIDR blocks. */
    readonly trusted: readonly string[];
    readonly header: 'none' | 'forwarded' | 'x-forwarded-for';
    readonly protocolV2: boolean;
  };
  /** Requests per minute and address; 0 is off. */
  readonly rateLimits: {
    readonly authorize: number;
    readonly page: number;
    readonly status: number;
    readonly statusPerAddress: number;
    readonly statusFailures: number;
    readonly par: number;
    readonly token: number;
    readonly introspect: number;
    readonly revoke: number;
    readonly clientAuthFailures: number;
    readonly bridge: number;
    readonly bridgePolls: number;
    readonly bridgePerAddress: number;
    readonly bridgeFailures: number;
    readonly adminFailures: number;
    /** Credentials per holder and window; 0 is off. */
    readonly refreshPerIdComm: number;
    readonly refreshWindowSeconds: number;
    /** Counted in the store. */
    readonly refreshProofAttemptsPerMinute: number;
    readonly refreshMalformed: number;
  };
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly hstsIncludeSubDomains: boolean;
    readonly allowExposedDevelopment: boolean;
  };
  readonly admin: {
    readonly host: string;
    readonly port: number;
    readonly token: string | undefined;
    readonly allowedHosts: readonly string[];
  };
  readonly http: {
    readonly bodyLimitBytes: number;
    readonly maxOpenExchanges: number;
    readonly maxUnfinished: number;
    readonly maxUnfinishedPerAddress: number;
    readonly maxBodyBytes: number;
    readonly maxBodyBytesPerAddress: number;
    readonly maxConnections: number;
    readonly maxConnectionsPerAddress: number;
    readonly handlerTimeoutMs: number;
  };
  readonly engine: {
    readonly workers: number;
    readonly backend:
      | 'auto'
      | 'native'
      | 'wasm'
      | 'native-ifma'
      | 'native-avx2'
      | 'native-adx'
      | 'native-arm64'
      | 'native-portable'
      | 'native-ifma-emulated'
      | 'native-avx2-emulated'
      | 'wasm-relaxed'
      | 'wasm-simd'
      | 'wasm-scalar';
    readonly maxQueue: number;
    readonly maxBatch: number;
    readonly maxBatchDelayMs: number;
  };
  readonly storage: {
    readonly url: string;
    readonly password: string | undefined;
    readonly poolSize: number;
    readonly prepare: boolean;
    readonly timeoutMs: number;
    readonly allowVolatile: boolean;
    readonly allowSharedFile: boolean;
    readonly groupMaxRows: number;
    readonly groupMaxDelayMs: number;
    readonly cacheSeconds: number;
    readonly sweepIntervalSeconds: number;
    readonly sweepBatchRows: number;
  };
  readonly webhooks: WebhooksConfig;
  readonly log: { readonly level: string; readonly format: 'json' | 'pretty' };
  readonly metrics: {
    readonly enabled: boolean;
    readonly requireToken: boolean;
    readonly token: string | undefined;
  };
  readonly docs: { readonly enabled: boolean };
  readonly tracing: {
    readonly endpoint: string | undefined;
    readonly samplePercent: number;
  };
  readonly shutdown: {
    readonly drainDelayMs: number;
    readonly timeoutMs: number;
  };
}

/** Settings of webhooks (spec/operations.md#webhooks). */
export interface WebhooksConfig {
  /** Undefined: webhooks are off. */
  readonly url: string | undefined;
  /** `whsec_` and base64; set if `url` is. */
  readonly secret: string | undefined;
  readonly secretPrevious: string | undefined;
  readonly timeoutMs: number;
  readonly allowLocal: boolean;
  /** 0 is off. */
  readonly refusalsPerMinute: number;
}

/** Settings of sign-in (spec/sign-in.md#settings). */
export interface SigninConfig {
  readonly enabled: boolean;
  readonly proofWindowSeconds: number;
  readonly transactionTtlSeconds: number;
  readonly maxAttempts: number;
  readonly maxPendingTransactions: number;
  readonly maxPendingBytes: number;
  readonly maxPendingPercentPerClient: number;
  /** 0 is off. */
  readonly maxBegunBytesPerNetwork: number;
  readonly maxRootAgeSeconds: number;
  readonly codeTtlSeconds: number;
  readonly accessTokenTtlSeconds: number;
  readonly idTokenTtlSeconds: number;
  /** 0 is off. */
  readonly sessionSeconds: number;
  readonly allowLocalLogout: boolean;
  readonly refreshTokenSeconds: number;
  readonly pushedRequestSeconds: number;
  readonly documentationUrl: string | undefined;
  readonly policyUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly operatorName: string;
  /** The content of `signin.logoFile`. */
  readonly logo: PageLogo | undefined;
  /** `#rrggbb`; the contrast of both colours has been checked. */
  readonly accentColor: string | undefined;
  readonly accentColorDark: string | undefined;
  readonly introspectionLegacy401: boolean;
}

/** Settings of credential refresh (spec/refresh.md#settings). */
export interface RefreshConfig {
  readonly enabled: boolean;
  /** Id of the verifying key of holder proofs. */
  readonly verificationKey: string;
  /** Pre-image of the external nullifier, printable ASCII. */
  readonly externalNullifier: string;
  readonly challengeRequired: boolean;
  readonly challengeTtlSeconds: number;
  readonly pcpVersions: readonly string[];
  readonly pcpSignupReasons: readonly string[];
  readonly bodyLimitBytes: number;
  readonly keepEncryptedUserId: boolean;
  /** A u64 in decimal. */
  readonly issuerSchemaId: string;
  /** `P<n>Y`, `P<n>M`, `P<n>D` or `PT<n>S`. */
  readonly validity: string;
  /** 64 hex digits; undefined: the key store's active credential key signs. */
  readonly signingSeed: string | undefined;
}

/** An app that the configuration defines, with all defaults. */
export interface ConfiguredApp {
  readonly clientId: string;
  /** In lower case; undefined if it follows from the client id. */
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
