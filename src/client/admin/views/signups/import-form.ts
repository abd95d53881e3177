import { element } from '../../../dom.ts';
import { Problem } from '../../api/problem.ts';
import type { Imported } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { FieldError, type FormField, form } from '../../parts/form.ts';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { table } from '../../parts/table.ts';
import { textOrFile } from '../../parts/text-or-file.ts';
import { parseRecords, partsOf, UnreadableRecords } from './records.ts';

/** Refused records that are listed; further ones are counted only. */
const MAX_LISTED = 100;

/** Settings of a form that imports records. */
export interface ImportParts {
  readonly context: ViewContext;
  /** Path of the operation, such as `/signups`. */
  readonly path: string;
  /** Name of one record. */
  readonly one: string;
  /** Names of the members of a record, and an example. */
  readonly hint: string;
  readonly action: string;
  readonly extra?: readonly FormField[];
  /** Further members of the request. */
  readonly more?: () => Readonly<Record<string, unknown>>;
  /** Called after records were imported. */
  readonly onImported: () => Promise<void>;
}

type Refused = Imported['refused'][number];

/** Creates a form that imports records from a text or a file, in parts, and lists those that were refused. */
export function importForm(parts: ImportParts): HTMLElement {
  const { context, path, one, hint, action, extra = [], more, onImported } = parts;
  const text = textOrFile('records', 'Records', hint, '.json,.jsonl,.ndjson,.txt,application/json');
  const result = element('div', { class: 'stack', role: 'status' });
  const node = form({
    ...{ fields: [...text.fields, ...extra], action, context },
    async submit() {
      result.replaceChildren();
      const records = readRecords(await text.read());
      const total = { added: 0, updated: 0, unchanged: 0 };
      const refused: Refused[] = [];
      let sent = 0;
      try {
        for (const part of partsOf(records)) {
          const done = await context.api.post<Imported>(path, { body: { records: part, ...more?.() } });
          for (const name of ['added', 'updated', 'unchanged'] as const) total[name] += done[name];
          refused.push(...done.refused.map((line) => ({ ...line, index: line.index + sent })));
          sent += part.length;
          if (sent < records.length)
            context.announce(`${formatCount(sent)} of ${formatCount(records.length)}`);
        }
      } catch (error) {
        if (sent > 0) await onImported();
        throw stoppedAt(error, sent);
      }
      text.clear();
      result.replaceChildren(...summary(one, total, refused));
      await onImported();
      const imported = `${formatAmount(total.added + total.updated, one)} imported`;
      if (refused.length === 0) context.announce(`${imported}.`, 'good');
      else context.announce(`${imported}, ${formatCount(refused.length)} refused.`, 'bad');
    },
  });
  return element('div', { class: 'stack' }, node, result);
}

function readRecords(text: string): readonly unknown[] {
  try {
    return parseRecords(text);
  } catch (error) {
    throw error instanceof UnreadableRecords ? new FieldError('records', error.message) : error;
  }
}

/** Returns the refusal of a part with the numbers that its records have in the whole text. */
function stoppedAt(error: unknown, sent: number): unknown {
  if (!(error instanceof Problem) || error.faults.every(({ field }) => field !== 'records')) return error;
  const texts = error.faults.map(({ text }) =>
    text.replace(/^Number (\d+)/, (_, number: string) => `Record ${Number(number) + sent}`),
  );
  const before =
    sent === 0 ? 'Nothing was imported.' : `The ${formatCount(sent)} records before were imported.`;
  return new FieldError('records', [...texts, before].join('\n'));
}

function summary(
  one: string,
  { added, updated, unchanged }: Omit<Imported, 'refused'>,
  refused: readonly Refused[],
): Node[] {
  const counts = [
    [added, 'added'],
    [updated, 'updated'],
    [unchanged, 'unchanged'],
    [refused.length, 'refused'],
  ] as const;
  const words = counts.map(([count, name]) => `${formatCount(count)} ${name}`).join(' · ');
  const level = refused.length === 0 ? 'good' : 'warning';
  const line = element('div', { class: 'alert', 'data-level': level }, element('p', {}, words));
  if (refused.length === 0) return [line];
  const shown = table(
    `Refused: each ${one} with the reason`,
    [
      { title: 'Record', isHead: true, cell: ({ index }: Refused) => String(index + 1) },
      { title: 'Reason', cell: ({ message }) => message },
      { title: 'Code', cell: ({ code }) => element('code', {}, code) },
    ],
    refused.slice(0, MAX_LISTED),
    true,
  );
  if (refused.length <= MAX_LISTED) return [line, shown];
  return [line, shown, element('p', { class: 'hint' }, `Only the first ${MAX_LISTED} are listed.`)];
}
