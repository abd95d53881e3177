const PROGRAM_HEADERS_AT = 32;
const HEADER_SIZE_AT = 54;
const HEADER_COUNT_AT = 56;
const HEADER_BYTES = 56;
const PT_LOAD = 1;

/**
 * Returns whether a shared library of 64 bits has the bytes of all its segments. Loading a shortened one does not fail: it
 * kills the process (SIGBUS) at the first page that is missing. Other formats are left to the loader.
 *
 * @see System V ABI, chapter 5, Program Header
 */
export function isWholeElf(bytes: Buffer): boolean {
  if (bytes.length < HEADER_COUNT_AT + 2) return false;
  if (bytes.toString('latin1', 0, 5) !== '\x7fELF\x02') return true;
  const first = Number(bytes.readBigUInt64LE(PROGRAM_HEADERS_AT));
  const size = bytes.readUInt16LE(HEADER_SIZE_AT);
  const count = bytes.readUInt16LE(HEADER_COUNT_AT);
  if (size < HEADER_BYTES || first + size * count > bytes.length) return false;
  return Array.from({ length: count }, (_, index) => first + size * index).every((at) => {
    const end = bytes.readBigUInt64LE(at + 8) + bytes.readBigUInt64LE(at + 32);
    return bytes.readUInt32LE(at) !== PT_LOAD || end <= bytes.length;
  });
}
