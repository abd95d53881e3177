/** Members of JSON bodies whose values open something, or are too long to read. */
const MEMBERS: ReadonlySet<string> = new Set([
  'access_token',
  'id_token',
  'k',
  'iv',
  'payload',
  'proof',
  'n',
]);
/** Fields of forms and addresses; `code` is a secret there, and in a body the name of an error. */
const FIELDS: ReadonlySet<string> = new Set([...MEMBERS, 'code', 'code_verifier', 'token']);
const SHOWN_CHARACTERS = 12;

/** The beginning of a value and its length, for values that nobody should copy or read. */
export function shorten(value: string): string {
  if (value.length <= SHOWN_CHARACTERS) return value;
  return `${value.slice(0, SHOWN_CHARACTERS)}… (${value.length} characters)`;
}

/** A JSON value with the members shortened that hold a token, a code or a key, at any depth. */
export function shortenMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      MEMBERS.has(name) && typeof member === 'string' ? shorten(member) : shortenMembers(member),
    ]),
  );
}

/** Fields of a form, in the same way. */
export function shortenFields(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, FIELDS.has(name) ? shorten(value) : value]),
  );
}

/** An address with the same fields of its query and fragment shortened; the others readable. */
export function shortenUrl(url: string): string {
  return url.replaceAll(/([?&#])([^=&#?]+)=([^&#]*)/g, (_, before: string, name: string, value: string) => {
    const shown = FIELDS.has(name) ? shorten(value) : value;
    return `${before}${name}=${shown}`;
  });
}
