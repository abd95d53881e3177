import { ServiceError } from '../../errors/index.ts';
import { boundaryOf } from './boundary.ts';
import { frameBody } from './frame-body.ts';
import { isPartName, PACKAGE_PARTS, PART_LIMITS, type PartName } from './part-names.ts';
import { type Part, readParts } from './read-parts.ts';

/** The known parts of a form. */
export interface RefreshForm {
  /** The exact bytes of each part that was sent; views of the body. */
  readonly parts: ReadonlyMap<PartName, Uint8Array>;
  /** Whether any of the 19 package parts is there, even empty. */
  readonly hasPackage: boolean;
}

/**
 * Check 4 of refresh.md section 3: a well-formed body of at most 64 parts, no known part twice; then each known part
 * within its limit. Unknown parts are ignored.
 *
 * @param contentType - The header, with the boundary.
 * @throws ServiceError `refresh.malformed_body`, `refresh.duplicate_part`, `refresh.part_too_large`
 */
export async function parseForm(contentType: string, body: Uint8Array): Promise<RefreshForm> {
  const boundary = boundaryOf(contentType);
  const framed = frameBody(body, boundary);
  const parts = knownParts(await readParts(boundary, framed));
  checkLimits(parts);
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

function checkLimits(parts: ReadonlyMap<PartName, Uint8Array>): void {
  for (const [name, limitBytes] of PART_LIMITS) {
    const length = parts.get(name)?.length ?? 0;
    if (length > limitBytes) {
      throw new ServiceError('refresh.part_too_large', `${name}: expected at most ${limitBytes} bytes`);
    }
  }
}
