import type { Binding } from '../../config/apps/fields.ts';

/** Something by which a person is recognised. Times are milliseconds since the epoch. */
export interface KnownItem {
  /** Names it in the forms of one sign-in, and tells nothing about it. */
  readonly id: string;
  readonly createdAt: number;
  readonly usedAt: number;
}

/** Everything by which a client recognises the person of a completed sign-in (spec/sign-in.md#recognition-page). */
export interface KnownPersonView {
  readonly txn: string;
  /** Time of the list. */
  readonly at: number;
  readonly clientId: string;
  readonly clientName: string;
  readonly sessions: readonly (KnownItem & { readonly binding: Binding })[];
  readonly browsers: readonly (KnownItem & { readonly isThis: boolean })[];
  readonly passkeys: readonly KnownItem[];
  /** How to make a passkey; undefined where that is not possible. */
  readonly newPasskey:
    | { readonly rpId: string; readonly userHandle: string; readonly challenge: string }
    | undefined;
}
