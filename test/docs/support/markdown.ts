/** A heading of a Markdown file, with the names of the rules up to the next heading. */
interface Heading {
  readonly anchor: string;
  readonly rules: Set<string>;
}

/** Headings of a Markdown file by their GitHub anchors. */
export type Headings = ReadonlyMap<string, Pick<Heading, 'anchor'> & { readonly rules: ReadonlySet<string> }>;

/** A link of a Markdown file. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const LINK = /\]\(<?([^()\s>]+(?:\([^()\s]*\))?)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)/g;

/**
 * Reads the headings, and the names in backticks in first columns of tables and at the start of list items.
 */
export function headingsOf(text: string): Headings {
  const found = new Map<string, Heading>();
  let current: Heading | undefined;
  for (const line of withoutFences(text)) {
    const title = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (title !== undefined) {
      current = { anchor: freeAnchor(title, found), rules: new Set() };
      found.set(current.anchor, current);
      continue;
    }
    const cell = /^\|([^|]*)\|/.exec(line)?.[1] ?? /^- (`[^`]+`)[:,]/.exec(line)?.[1] ?? '';
    for (const [, name = ''] of cell.matchAll(/`([^`]+)`/g)) current?.rules.add(name);
  }
  return found;
}

/** Reads the links outside code. */
export function linksOf(text: string): Link[] {
  return withoutFences(text).flatMap((line, index) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(LINK)].map(([, inline, reference]) => ({
      target: inline ?? reference ?? '',
      line: index + 1,
    })),
  );
}

/** Lines of a text, with empty lines for code blocks. */
function withoutFences(text: string): string[] {
  let isCode = false;
  return text.split('\n').map((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? '' : line;
  });
}

/** Anchor of a heading by the rules of GitHub, with a number if it is taken. */
function freeAnchor(title: string, taken: ReadonlyMap<string, Heading>): string {
  const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  const anchor = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
  let free = anchor;
  for (let count = 1; taken.has(free); count++) free = `${anchor}-${count}`;
  return free;
}
