/** Refresh requests with planted texts in every input, so that leaks can be found. */
import { createHash, randomBytes } from 'node:crypto';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { EnrolmentRow } from '../../../src/storage/refresh/enrolments.ts';
import {
  type CustodyPackage,
  makePackage,
  VALUE_NAMES,
  type ValueName,
} from '../../support/refresh/custody-package.ts';
import type { RefreshDraft } from '../../support/refresh/draft.ts';
import type { HeaderMaker, HeaderOptions, TestHolder } from '../../support/refresh/holder.ts';
import { scalarOf } from '../../support/refresh/holder.ts';
import type { Noted, Traces } from './traces.ts';

/** Notes a value under its kind, such as `sub`, and returns it. */
export type Note = <T extends Noted>(kind: string, value: T) => T;

/** Parts of a request; by default a new holder with a new package. */
export interface PlantOptions extends HeaderOptions {
  /** Holder of an earlier request, for another request of the same holder. */
  readonly holder?: TestHolder;
  readonly custody?: CustodyPackage | 'none';
  /** Whether the capture reason is planted too, which makes it an invalid reason. */
  readonly plantsReason?: boolean;
}

/** A valid request and the values in it. */
export interface PlantedRefresh {
  readonly holder: TestHolder;
  readonly custody: CustodyPackage;
  readonly draft: RefreshDraft;
  /** Members of the enrolment that the request needs. */
  readonly enrolment: Pick<EnrolmentRow, 'signupId' | 'orbId'>;
  /** All values with their kinds. */
  readonly values: readonly (readonly [kind: string, value: Noted])[];
  /** Makes a new text and notes it as a value of the request. */
  plant(kind: string): string;
  note: Note;
}

/** Makes a unique text, shorter than the long tokens that the log redacts from messages. */
export function plantedText(): string {
  return `zq${BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(13, '0')
    .slice(0, 12)}`;
}

/** Makes a random field element of at least 2^248: 32 bytes, big-endian. */
export function plantedElement(): Uint8Array {
  const bytes = randomBytes(32);
  bytes[0] = 1 + ((bytes[0] ?? 0) % 0x2f);
  return bytes;
}

/** Makes a request, and notes all its values in each register. */
export async function plantRefresh(
  maker: HeaderMaker,
  registers: readonly Traces[],
  options: PlantOptions = {},
): Promise<PlantedRefresh> {
  const values: (readonly [string, Noted])[] = [];
  const note: Note = (kind, value) => {
    values.push([kind, value]);
    for (const register of registers) register.note(`${kind} (${values.length})`, value);
    return value;
  };
  const plant = (kind: string): string => note(kind, plantedText());
  const holder = options.holder ?? { idComm: plantedElement(), sub: plantedElement() };
  note('idComm', holder.idComm);
  note('sub', holder.sub);
  note('nullifierHash', scalarOf(`nullifier:${toHex(holder.idComm)}`));
  const custody =
    options.custody === undefined || options.custody === 'none'
      ? plantPackage(plant, note, options.plantsReason)
      : options.custody;
  const header = await maker.header(holder, {
    ...options,
    members: { unknown: plant('member'), ...options.members },
  });
  noteHeader(header, note);
  return {
    holder,
    custody,
    values,
    plant,
    note,
    enrolment: { signupId: custody.signupId, orbId: custody.orbId },
    draft: plantHeaders(
      {
        query: `${plant('parameter')}=${plant('parameter')}&idComm=${toHex(holder.idComm)}`,
        headers: { 'x-zkp-proof': header },
        fields: {
          sub: toHex(holder.sub),
          encrypted_user_id: plant('encrypted_user_id'),
          [plant('unknown part')]: plant('unknown part'),
          ...(options.custody === 'none' ? {} : custody.fields),
        },
      },
      plant,
    ),
  };
}

/** Makes a package with new values, salts and shares, and notes them and its digests. */
function plantPackage(plant: (kind: string) => string, note: Note, plantsReason = false): CustodyPackage {
  const planted = (names: readonly ValueName[], make: (name: ValueName) => string): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, make(name)]));
  const custody = makePackage({
    seed: randomBytes(16).toString('hex'),
    values: planted(
      VALUE_NAMES.filter((name) => plantsReason || name !== 'signup_reason'),
      (name) => plant(name),
    ),
    salts: planted(VALUE_NAMES, (name) => note(`salt of ${name}`, randomBytes(16).toString('hex'))),
  });
  notePackage(custody, note);
  return custody;
}

/** Notes pieces of the files and shares, without the text that all packages share. */
function notePackage({ fields, manifest, signature }: CustodyPackage, note: Note): void {
  for (const index of [0, 1, 2])
    note('share', Buffer.from(fields[`iris_code_shares_${index}`] ?? '').subarray(80, 112));
  const digests = [
    ...Buffer.from(manifest)
      .toString()
      .matchAll(/"([0-9a-f]{64})"/g),
  ];
  for (const [, digest = ''] of digests.filter((_, index) => index % 5 === 0)) {
    note('manifest', Buffer.from(digest, 'hex'));
  }
  note('manifest hash', createHash('sha256').update(manifest).digest());
  note('orb signature', signature.subarray(8));
}

/** Notes the header's text from its first value on, and its proof. */
function noteHeader(header: string, note: Note): void {
  note('header', header.slice(32, 112));
  const { proof } = JSON.parse(Buffer.from(header, 'base64').toString()) as { readonly proof: unknown };
  if (typeof proof === 'string') note('proof', Buffer.from(proof.slice(2), 'hex'));
}

const FILES = ['hashes.json', 'hashes.sign'];

/** Adds planted texts to boundary, file names, part headers and request headers. */
function plantHeaders(draft: RefreshDraft, plant: (kind: string) => string): RefreshDraft {
  const boundary = plant('boundary');
  const files = FILES.map((name) => [`filename="${name}"`, `filename="${plant('file name')}"`] as const);
  const type = `application/${plant('part type')}`;
  return {
    ...draft,
    contentType: `multipart/form-data; boundary=${boundary}`,
    lines: [
      `attestation-gateway-token: ${plant('gateway token')}`,
      `authorization: Bearer ${plant('authorization')}`,
      `cookie: ${plant('cookie')}=${plant('cookie')}`,
      `user-agent: ${plant('user agent')}`,
      `referer: https://wallet.example/?${plant('referer')}`,
    ],
    edit(body) {
      let text = body.toString('latin1').replaceAll(BOUNDARY, boundary);
      for (const [before, after] of files) text = text.replace(before, after);
      return Buffer.from(text.replaceAll('application/octet-stream', type), 'latin1');
    },
  };
}

/** Boundary that `multipart` in test/support/refresh/client.ts writes. */
const BOUNDARY = '----proofgate-test-7d1c4f';
