/** Parsing of an untrusted refresh request: checks 4 to 6 of spec/refresh.md#order-of-checks. */
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { ServiceError } from '../../errors/service-error.ts';
import { boundaryOf, type FramedBody, frameBody, malformed } from './frame-body.ts';

/** Values of a custody package, each with its salt (spec/refresh.md#form-parts). */
export const PACKAGE_VALUES = [
  'signup_id',
  'orb_id',
  'operator_id',
  'signup_reason',
  'timestamp',
  'software_version',
  'orb_country',
] as const;

/** Name of a package value. */
export type PackageValue = (typeof PACKAGE_VALUES)[number];

/** Texts of the three iris code shares. */
export const SHARE_PARTS = ['iris_code_shares_0', 'iris_code_shares_1', 'iris_code_shares_2'] as const;

/** Name of an iris code share. */
export type SharePart = (typeof SHARE_PARTS)[number];

/** The manifest of a custody package. */
export const MANIFEST_PART = 'hashes.json' as const;

/** Signature of the manifest by the orb. */
export const SIGNATURE_PART = 'hashes.sign' as const;

/** Name of a part that belongs to a custody package. */
export type PackagePart =
  | PackageValue
  | `${PackageValue}_salt`
  | SharePart
  | typeof MANIFEST_PART
  | typeof SIGNATURE_PART;

/** Every known name; a part with another name is ignored. */
export type PartName = 'sub' | 'encrypted_user_id' | PackagePart;

/** The 19 parts of a custody package, in the order of spec/refresh.md#form-parts. */
export const PACKAGE_PARTS: readonly PackagePart[] = [
  ...PACKAGE_VALUES,
  ...PACKAGE_VALUES.map((value) => `${value}_salt` as const),
  ...SHARE_PARTS,
  MANIFEST_PART,
  SIGNATURE_PART,
];

const KNOWN: ReadonlySet<string | undefined> = new Set(['sub', 'encrypted_user_id', ...PACKAGE_PARTS]);

/** Whether this is the name of a known part. */
function isPartName(name: string | undefined): name is PartName {
  return KNOWN.has(name);
}

/** A part as it was sent. */
export interface Part {
  readonly name: string | undefined;
  /** The exact bytes of the value, a view of the body. */
  readonly value: Uint8Array;
}

/**
 * Reads the parts of a checked body. Every part counts as a file, because the library decodes the text of fields.
 *
 * The library reports all parts synchronously when it gets the body, and each part ends a few turns of the event loop
 * later, so this never waits for an event that may not occur.
 *
 * @throws ServiceError `refresh.malformed_body`
 */
export async function readParts(boundary: string, { bytes, partCount }: FramedBody): Promise<Part[]> {
  const parts: Promise<Part | undefined>[] = [];
  const busboy = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    isPartAFile: () => true,
  });
  busboy.on('file', (name: string | undefined, stream) => parts.push(readPart(name, stream)));
  // without a listener an error would end the process; an incomplete part emits its own error
  busboy.on('error', () => {});
  try {
    busboy.end(bytes);
  } catch (cause) {
    throw malformed('body: it cannot be read', { cause });
  }
  // the library drops parts that it cannot parse
  if (parts.length !== partCount) throw malformed('body: a part cannot be read');
  const read = (await Promise.all(parts)).filter((part) => part !== undefined);
  if (read.length !== partCount) throw malformed('body: a part breaks off');
  return read;
}

function readPart(name: string | undefined, stream: BusboyFileStream): Promise<Part | undefined> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve({ name, value: joined(chunks) }));
    stream.on('error', () => resolve(undefined));
  });
}

// Usually one chunk, a view of the body, so that shares of 200 KB are not copied.
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** The known parts of a form. */
export interface RefreshForm {
  /** The exact bytes of each part that was sent; views of the body. */
  readonly parts: ReadonlyMap<PartName, Uint8Array>;
  /** Whether any of the 19 package parts is present, even if empty. */
  readonly hasPackage: boolean;
}

/**
 * Reads the form (spec/refresh.md#order-of-checks, form): a body that is well-formed by
 * spec/refresh.md#multipart-syntax, of at most 64 parts, without repeated known parts. Unknown parts are ignored. The
 * length of a part is checked by its reader.
 *
 * @param contentType - The header Content-Type, with the boundary.
 * @throws ServiceError `refresh.malformed_body`, `refresh.duplicate_part`
 */
export async function parseForm(contentType: string, body: Uint8Array): Promise<RefreshForm> {
  const boundary = boundaryOf(contentType);
  const framed = frameBody(body, boundary);
  const parts = knownParts(await readParts(boundary, framed));
  return { parts, hasPackage: PACKAGE_PARTS.some((name) => parts.has(name)) };
}

function knownParts(all: readonly Part[]): Map<PartName, Uint8Array> {
  const parts = new Map<PartName, Uint8Array>();
  for (const { name, value } of all) {
    if (!isPartName(name)) continue;
    if (parts.has(name)) {
      throw new ServiceError('refresh.duplicate_part', `${name}: expected one part of this name, got more`);
    }
    parts.set(name, value);
  }
  return parts;
}
