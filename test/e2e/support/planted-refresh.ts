/** Refresh requests every input of which can be found again. */
import { createHash, randomBytes } from 'node:crypto';
import { toHex } from '../../../src/semaphore/index.ts';
import type { EnrolmentRow } from '../../../src/storage/index.ts';
import {
  type CustodyPackage,
  makePackage,
  VALUE_NAMES,
  type ValueName,
} from '../../support/refresh/custody-package.ts';
import type { RefreshDraft } from '../../support/refresh/draft.ts';
import type { HeaderMaker, HeaderWish, TestHolder } from '../../support/refresh/holder.ts';
import { scalarOf } from '../../support/refresh/holder.ts';
import type { Noted, Traces } from './traces.ts';

/** Notes a value by its kind, such as `sub`, and gives it back. */
export type Note = <T extends Noted>(kind: string, value: T) => T;

/** What a request is made of; a package of the holder's own where nothing is said of it. */
export interface PlantWish extends HeaderWish {
  /** That of another request, for one more request of the same holder. */
  readonly holder?: TestHolder;
  readonly custody?: CustodyPackage | 'none';
  /** Whether the reason of the capture is planted too, which is then none that renews anybody. */
  readonly plantsReason?: boolean;
}

/** A request whose proof, package and form are right, and what is in it. */
export interface PlantedRefresh {
  readonly holder: TestHolder;
  readonly custody: CustodyPackage;
  readonly draft: RefreshDraft;
  /** Members of the enrolment by which it is issued a credential. */
  readonly enrolment: Pick<EnrolmentRow, 'signupId' | 'orbId'>;
  /** All values by their kind. */
  readonly values: readonly (readonly [kind: string, value: Noted])[];
  /** A new text that counts as a value of the request. */
  plant(kind: string): string;
  note: Note;
}

/** A text that nobody else writes; shorter than what the log cuts out of messages as a long token. */
export function plantedText(): string {
  return `zq${BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(13, '0')
    .slice(0, 12)}`;
}

/** A random field element above 2^248: 32 bytes, big-endian. */
export function plantedElement(): Uint8Array {
  const bytes = randomBytes(32);
  bytes[0] = 1 + ((bytes[0] ?? 0) % 0x2f);
  return bytes;
}

/** Makes a request; every value in it goes to each of the registers too. */
export async function plantRefresh(
  maker: HeaderMaker,
  registers: readonly Traces[],
  wish: PlantWish = {},
): Promise<PlantedRefresh> {
  const values: (readonly [string, Noted])[] = [];
  const note: Note = (kind, value) => {
    values.push([kind, value]);
    for (const register of registers) register.note(`${kind} (${values.length})`, value);
    return value;
  };
  const plant = (kind: string): string => note(kind, plantedText());
  const holder = wish.holder ?? { idComm: plantedElement(), sub: plantedElement() };
  note('idComm', holder.idComm);
  note('sub', holder.sub);
  note('nullifierHash', scalarOf(`nullifier:${toHex(holder.idComm)}`));
  const custody =
    wish.custody === undefined || wish.custody === 'none'
      ? plantPackage(plant, note, wish.plantsReason)
      : wish.custody;
  const header = await maker.header(holder, {
    ...wish,
    members: { unknown: plant('member'), ...wish.members },
  });
  noteHeader(header, note);
  return {
    ...{ holder, custody, values, plant, note },
    enrolment: { signupId: custody.signupId, orbId: custody.orbId },
    draft: dress(
      {
        query: `${plant('parameter')}=${plant('parameter')}&idComm=${toHex(holder.idComm)}`,
        headers: { 'x-zkp-proof': header },
        fields: {
          sub: toHex(holder.sub),
          encrypted_user_id: plant('encrypted_user_id'),
          [plant('unknown part')]: plant('unknown part'),
          ...(wish.custody === 'none' ? {} : custody.fields),
        },
      },
      plant,
    ),
  };
}

/** A package whose values, salts and shares are all new; its digests are noted too. */
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

/** The file parts and shares, without the texts that all of them have. */
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

/** The header's own text from where its first value begins, and the proof in it. */
function noteHeader(header: string, note: Note): void {
  note('header', header.slice(32, 112));
  const { proof } = JSON.parse(Buffer.from(header, 'base64').toString()) as { readonly proof: unknown };
  if (typeof proof === 'string') note('proof', Buffer.from(proof.slice(2), 'hex'));
}

const FILES = ['hashes.json', 'hashes.sign'];

/** Boundary, file names, part headers and request headers with planted texts. */
function dress(draft: RefreshDraft, plant: (kind: string) => string): RefreshDraft {
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

/** What `multipart` of test/support/refresh/client.ts writes. */
const BOUNDARY = '----proofgate-test-7d1c4f';
