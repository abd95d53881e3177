const MAX_CHARACTERS = 200;

/**
 * Prints a JSON value for an error message (spec/verification.md#printed-values): a string in double quotes
 * without escaping, another scalar as it is, an array or object as JSON with two-space indentation whose
 * inner scalars are first converted to strings; cut to 200 characters. Stops there, so that neither depth nor
 * size of a hostile value costs time.
 */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return cutText(`"${value.slice(0, MAX_CHARACTERS * 2)}"`);
  if (typeof value !== 'object' || value === null) return cutText(scalarText(value));
  const out = new BoundedText();
  writeJson(value, '', out);
  return cutText(out.text);
}

class BoundedText {
  text = '';

  get isFull(): boolean {
    // a character has at most two code units
    return this.text.length > MAX_CHARACTERS * 2;
  }
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, MAX_CHARACTERS * 2)}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function writeJson(value: unknown, indent: string, out: BoundedText): void {
  if (typeof value !== 'object' || value === null) {
    out.text += JSON.stringify(scalarText(value));
    return;
  }
  const isArray = Array.isArray(value);
  const entries: Iterable<readonly [string, unknown]> = isArray
    ? value.map((member) => ['', member] as const)
    : Object.entries(value);
  const inner = `${indent}  `;
  let isFirst = true;
  out.text += isArray ? '[' : '{';
  for (const [name, member] of entries) {
    if (out.isFull) return;
    out.text += `${isFirst ? '' : ','}\n${inner}`;
    isFirst = false;
    if (!isArray) out.text += `${JSON.stringify(name.slice(0, MAX_CHARACTERS * 2))}: `;
    writeJson(member, inner, out);
  }
  if (!isFirst) out.text += `\n${indent}`;
  out.text += isArray ? ']' : '}';
}

/** Cuts a text to 200 characters. */
export function cutText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  let end = 0;
  for (let count = 0; count < MAX_CHARACTERS && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
