import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { FramedBody } from './frame-body.ts';
import { malformed } from './header-parameters.ts';

/** A part as it was sent. */
export interface Part {
  readonly name: string | undefined;
  /** The exact bytes of the value, a view of the body. */
  readonly value: Uint8Array;
}

/**
 * Reads the parts of a checked body. Every part counts as a file, because the library decodes the text of
 * fields.
 *
 * The library reports all parts synchronously when it gets the body, and each of them ends a few turns of the
 * event loop later, so this never waits for an event that may not come.
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
  // the library drops parts that it does not understand
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
