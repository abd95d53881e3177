/** Accepted credential issuers of World ID 4.0: `issuer_schema_id` in decimal digits, mapped to its identifiers. */
export type IssuerList = ReadonlyMap<string, ReadonlySet<string>>;

const MAX_U64 = 0xffff_ffff_ffff_ffffn;

/** Parses a valid `verify.worldid4.issuers.<environment>`, pairs `issuer_schema_id:identifier|identifier`. */
export function parseIssuerList(entries: readonly string[]): IssuerList {
  return new Map(
    entries.map((entry) => [idOf(entry), new Set(entry.slice(entry.indexOf(':') + 1).split('|'))]),
  );
}

/** Returns the reason why a list of well-formed entries is not valid, or undefined. */
export function issuerListFault(entries: readonly string[]): string | undefined {
  const ids = entries.map(idOf);
  const tooLarge = ids.find((id) => BigInt(id) > MAX_U64);
  if (tooLarge !== undefined) return `expected issuer_schema_ids up to ${MAX_U64}, got ${tooLarge}`;
  const twin = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twin === undefined) return undefined;
  return `expected each issuer_schema_id once, with its identifiers separated by "|", got ${twin} more than once`;
}

function idOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'));
}
