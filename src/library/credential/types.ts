import type { IssuerKey, IssuerKeysForm } from './issuer-keys.ts';

/** Codes of an invalid credential, in the order of reporting, with a sentence for each. */
const MESSAGES = {
  'credential.invalid': 'the text is not a credential',
  'credential.signature': 'the signature does not hold under the key that the credential names',
  'credential.key_unknown': 'the key that the credential names is not one of the issuer keys',
  'credential.key_revoked': 'the key that the credential names is revoked',
  'credential.schema_differs': 'the credential is of another kind than the expected one',
  'credential.expired': 'the credential has expired',
  'credential.genesis_too_early': 'the first issuance is before the earliest accepted one',
  'credential.claim_differs': 'claims[0] does not commit to the expected data',
} as const;

/** Reason why a credential is not valid. */
export type CredentialCode = keyof typeof MESSAGES;

/** One fault of a credential. */
export interface CredentialFault {
  readonly code: CredentialCode;
  readonly message: string;
  /** The invalid member of the JSON, for example `claims[15]`; only with `credential.invalid`. */
  readonly path?: string | undefined;
}

/** Returns a fault. @param message - If absent, the sentence of the code. */
export function fault(code: CredentialCode, message: string = MESSAGES[code]): CredentialFault {
  return { code, message };
}

/**
 * The content of a credential (spec/credential.md#credential-object). Field elements are `0x` and 64 lower-case hex
 * digits; integers and times are a u64, hence bigint.
 */
export interface Credential {
  /** Unique among the credentials of its schema. */
  readonly id: bigint;
  /** The kind of credential; 1 is proof of human. */
  readonly issuerSchemaId: bigint;
  /** The blinded holder; a different value for each issuer. */
  readonly sub: string;
  /** First issuance to this holder, Unix seconds. */
  readonly genesisIssuedAt: bigint;
  /** The first Unix second at which it is no longer valid. */
  readonly expiresAt: bigint;
  /** Sixteen claims. The first commits to the custody package or to the data of the refresh; the last is zero. */
  readonly claims: readonly string[];
  readonly associatedDataHash: string;
  /** 128 lower-case hex digits. */
  readonly signature: string;
  /** The public key in the credential; affine coordinates. */
  readonly issuerKey: { readonly x: bigint; readonly y: bigint };
}

/** Expected commitment in claims[0] (spec/credential.md#credential-hashes). */
export type ExpectedClaim =
  | {
      /** The bytes of `hashes.json` of the custody package, exactly as sent. */
      readonly hashesJson: Uint8Array;
    }
  | {
      /** Identity commitment of the refresh: `0x` and 1 to 64 hex digits, or a bigint. */
      readonly idComm: string | bigint;
      /** Time of issuance, Unix seconds. */
      readonly issuedAt: bigint | number;
      /** In the same forms as `idComm`; default: that of the credential. */
      readonly sub?: string | bigint | undefined;
    };

/** Options of the check of a credential. */
export interface VerifyCredentialOptions {
  /** The keys of the issuers that you trust. */
  readonly issuerKeys: IssuerKeysForm;
  /** Time of the check (default: the clock of this machine). */
  readonly now?: Date | undefined;
  /** The kind of credential that you accept (default: each for which a key is listed). */
  readonly issuerSchemaId?: bigint | number | undefined;
  /** Earliest first issuance that you accept, Unix seconds (default: 0). */
  readonly minGenesisIssuedAt?: bigint | number | undefined;
  /** Expected commitment in claims[0] (default: not checked). */
  readonly claim?: ExpectedClaim | undefined;
}

/** Verdict of a credential. The contents of an invalid credential are not confirmed by any issuer. */
export type CredentialVerdict =
  | {
      readonly valid: true;
      readonly code?: undefined;
      readonly message?: undefined;
      readonly faults: readonly [];
      readonly credential: Credential;
      /** The credential hash, signed by the issuer. */
      readonly hash: string;
      /** The key of `issuerKeys` that signed. */
      readonly key: IssuerKey;
    }
  | ({
      readonly valid: false;
      /** All faults; `code` and `message` are those of the first. */
      readonly faults: readonly CredentialFault[];
      /** Absent if the text is not a credential (`credential.invalid`), as is `hash`. */
      readonly credential?: Credential | undefined;
      readonly hash?: string | undefined;
      /** The key of `issuerKeys` that matches the credential; absent if there is none. */
      readonly key?: IssuerKey | undefined;
    } & CredentialFault);

/**
 * Checks a credential offline (spec/credential.md#credential-verification): its form, the signature, the key, the kind,
 * the expiry, and the conditions of the options.
 *
 * @param text - The JSON of the credential, or base64 of it as in the answer of a refresh.
 * @throws ProofgateError `credential.text`, `credential.issuer_keys` or `credential.option` if an argument has the
 *   wrong type; `engine.backend_unavailable`
 */
export type VerifyCredential = (text: string, options: VerifyCredentialOptions) => Promise<CredentialVerdict>;
