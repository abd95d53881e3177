import { ServiceError } from '../../errors/index.ts';
import { frameBody } from './frame-body.ts';
import { boundaryOf } from './header-parameters.ts';
import { isPartName, PACKAGE_PARTS, type PartName } from './part-names.ts';
import { type Part, readParts } from './read-parts.ts';

/** The known parts of a form. */
export interface RefreshForm {
  /** The exact bytes of each part that was sent; views of the body. */
  readonly parts: ReadonlyMap<PartName, Uint8Array>;
  /** Whether any of the 19 package parts is present, even if empty. */
  readonly hasPackage: boolean;
}

/**
 * Reads the form (spec/refresh.md#order-of-checks, form): a body that is well-formed by
 * spec/refresh.md#multipart-syntax, of at most 64 parts, without repeated known parts. Unknown parts are ignored. The length of a part is checked where it is read.
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
