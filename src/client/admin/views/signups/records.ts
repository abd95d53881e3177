/** Most records of one request of the admin API. */
const MAX_RECORDS = 500;
/** Characters of the records of one request, well below its limit of 256 KiB. */
const MAX_CHARACTERS = 100_000;

/** Error for unreadable records in a text; the message is a sentence with the reason. */
export class UnreadableRecords extends Error {}

/**
 * Parses records: a JSON list, an object with the member `records`, one record, or one record per line, as the commands
 * take them.
 *
 * @throws UnreadableRecords
 */
export function parseRecords(text: string): readonly unknown[] {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return parseLines(text);
  }
  const records = hasRecords(whole) ? whole.records : whole;
  const list: readonly unknown[] = Array.isArray(records) ? records : [records];
  if (list.length === 0) throw new UnreadableRecords('The list has no records.');
  const wrong = list.findIndex((record) => typeof record !== 'object' || record === null);
  if (wrong === -1) return list;
  throw new UnreadableRecords(`Record ${wrong + 1} is not a JSON object.`);
}

function hasRecords(value: unknown): value is { readonly records: unknown } {
  return typeof value === 'object' && value !== null && 'records' in value;
}

function parseLines(text: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      const shape = 'Expected a JSON list of records, or one record per line';
      throw new UnreadableRecords(`Line ${index + 1} is not JSON. ${shape}.`);
    }
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return [record];
    throw new UnreadableRecords(`Line ${index + 1} is not a JSON object.`);
  });
}

/** Divides records into parts that fit into one request each, in order. */
export function partsOf(records: readonly unknown[]): (readonly unknown[])[] {
  const parts: unknown[][] = [[]];
  let characters = 0;
  for (const record of records) {
    const length = JSON.stringify(record).length;
    const last = parts.at(-1) ?? [];
    if (last.length > 0 && (last.length === MAX_RECORDS || characters + length > MAX_CHARACTERS)) {
      parts.push([record]);
      characters = length;
    } else {
      last.push(record);
      characters += length;
    }
  }
  return parts;
}
