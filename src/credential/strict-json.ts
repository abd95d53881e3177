// A strict JSON parser: `JSON.parse` silently accepts repeated names and rounds a u64; neither is acceptable here.

/** JSON without loss: members in their order, numbers as their digits. */
export type StrictJson =
  | {
      readonly kind: 'object';
      /**
       * In the order of the text, without repeated names; not a JavaScript object, in which `__proto__` is
       * special.
       */
      readonly entries: readonly (readonly [name: string, value: StrictJson])[];
    }
  | { readonly kind: 'array'; readonly items: readonly StrictJson[] }
  | { readonly kind: 'string'; readonly text: string }
  | {
      readonly kind: 'number';
      /** The digits as written, since a double cannot represent every u64. */
      readonly source: string;
    }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' };

/** Reason why a text was refused. */
export type StrictJsonFault = 'syntax' | 'duplicate_member' | 'too_deep' | 'lone_surrogate';

/** Refusal of a text by `parseStrictJson`. The message contains the fault and its position, but no part of the text. */
export class StrictJsonError extends SyntaxError {
  override readonly name = 'StrictJsonError';
  readonly fault: StrictJsonFault;
  /** Number of UTF-16 units before the fault. */
  readonly offset: number;
  /** Name of the repeated member. */
  readonly member: string | undefined;

  constructor(fault: StrictJsonFault, what: string, offset: number, member?: string) {
    super(`${what} at offset ${offset}`);
    this.fault = fault;
    this.offset = offset;
    this.member = member;
  }
}

/** Maximum nesting of objects and arrays; a credential has two levels, a manifest one. */
const MAX_DEPTH = 8;
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// With the flag u a surrogate pair is one code point, so only lone surrogates match.
const LONE_SURROGATE = /\p{Surrogate}/u;
const WORDS: readonly (readonly [word: string, value: StrictJson])[] = [
  ['true', { kind: 'boolean', value: true }],
  ['false', { kind: 'boolean', value: false }],
  ['null', { kind: 'null' }],
];

/**
 * Reads a JSON text by RFC 8259, refusing texts that two readers could interpret differently: a repeated name
 * in an object (compared after unescaping), a string with a lone surrogate, text after the value.
 *
 * @param text - Without a byte order mark; the caller must bound its size.
 * @throws StrictJsonError also for objects and arrays nested more than 8 deep
 */
export function parseStrictJson(text: string): StrictJson {
  let at = 0;

  const refuse = (what: string, offset = at): never => {
    throw new StrictJsonError('syntax', what, offset);
  };
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  /** Skips white space and, if present, the mark; returns whether the mark was present. */
  const takes = (mark: string): boolean => {
    match(SPACE);
    if (text[at] !== mark) return false;
    at += 1;
    return true;
  };

  function readString(): string {
    const start = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    if (at >= text.length) refuse('string without an end', start);
    at += 1;
    let decoded: string;
    try {
      decoded = JSON.parse(text.slice(start, at)) as string;
    } catch {
      // without the cause: its message contains the text
      return refuse('string with a bad escape or control character', start);
    }
    if (LONE_SURROGATE.test(decoded)) {
      throw new StrictJsonError('lone_surrogate', 'string with half a surrogate pair', start);
    }
    return decoded;
  }

  function readObject(depth: number): StrictJson {
    const entries = new Map<string, StrictJson>();
    if (!takes('}')) {
      do {
        match(SPACE);
        const start = at;
        if (text[at] !== '"') refuse('expected the name of a member');
        const name = readString();
        if (entries.has(name))
          throw new StrictJsonError('duplicate_member', 'second member of a name', start, name);
        if (!takes(':')) refuse('expected ":"');
        entries.set(name, readValue(depth));
      } while (takes(','));
      if (!takes('}')) refuse('expected "," or "}"');
    }
    return { kind: 'object', entries: [...entries] };
  }

  function readArray(depth: number): StrictJson {
    const items: StrictJson[] = [];
    if (!takes(']')) {
      do items.push(readValue(depth));
      while (takes(','));
      if (!takes(']')) refuse('expected "," or "]"');
    }
    return { kind: 'array', items };
  }

  function readValue(depth: number): StrictJson {
    match(SPACE);
    const first = text[at];
    if (first === '"') return { kind: 'string', text: readString() };
    if (first === '{' || first === '[') {
      if (depth === MAX_DEPTH) {
        throw new StrictJsonError(
          'too_deep',
          `more than ${MAX_DEPTH} objects and arrays within each other`,
          at,
        );
      }
      at += 1;
      return first === '{' ? readObject(depth + 1) : readArray(depth + 1);
    }
    const word = WORDS.find(([spelling]) => text.startsWith(spelling, at));
    if (word !== undefined) {
      at += word[0].length;
      return word[1];
    }
    const source = match(NUMBER);
    return source === '' ? refuse('expected a value') : { kind: 'number', source };
  }

  const value = readValue(0);
  match(SPACE);
  if (at < text.length) refuse('text after the value');
  return value;
}
