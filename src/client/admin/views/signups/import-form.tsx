import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { given, type InputOf } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import type { Imported } from '../../api/types.ts';
import { alert } from '../../parts/content.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { FieldError, type FormParts, form, textOrFile } from '../../parts/form.tsx';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { type Column, column, head, table } from '../../parts/table.tsx';
import { parseRecords, partsOf, UnreadableRecords } from './records.ts';

/** Refused records that are listed; further ones are counted only. */
const MAX_LISTED = 100;

/** Settings of a form that imports records. */
export interface ImportFormProps {
  readonly place: 'POST /signups' | 'POST /orb-keys';
  /** Name of one record. */
  readonly one: string;
  /** Names of the members of a record, and an example. */
  readonly hint: string;
  readonly action: string;
  /** Checkboxes that add a member to the request. */
  readonly options?: Readonly<Record<string, FieldSpec>>;
  /** Called after records were imported. */
  readonly onImported: () => Promise<void>;
}

type Refused = Imported['refused'][number];

/** A form that imports records from a text or a file, in parts, and lists those that were refused. */
export function ImportForm({ place, one, hint, action, options = {}, onImported }: ImportFormProps): VNode {
  const accept = '.json,.jsonl,.ndjson,.txt,application/json';
  const text = textOrFile('records', 'Records', accept, hint);
  const [result, setResult] = useState<Imported>();
  const submit: FormParts['submit'] = async (values, { api, announce }) => {
    setResult(undefined);
    const records = readRecords(await text.read(values));
    const chosen = Object.keys(options).flatMap((name) => (values.isOn(name) ? [[name, true]] : []));
    const total = { added: 0, updated: 0, unchanged: 0 };
    const refused: Refused[] = [];
    let sent = 0;
    try {
      for (const part of partsOf(records)) {
        const done = await api.call(
          place,
          given<InputOf<typeof place>>({ records: part, ...Object.fromEntries(chosen) }),
        );
        for (const name of ['added', 'updated', 'unchanged'] as const) total[name] += done[name];
        refused.push(...done.refused.map((line) => ({ ...line, index: line.index + sent })));
        sent += part.length;
        if (sent < records.length) announce(`${formatCount(sent)} of ${formatCount(records.length)}`);
      }
    } catch (error) {
      if (sent > 0) await onImported();
      throw stoppedAt(error, sent);
    }
    text.clear(values);
    setResult({ ...total, refused });
    await onImported();
    const imported = `${formatAmount(total.added + total.updated, one)} imported`;
    if (refused.length === 0) announce(`${imported}.`, 'good');
    else announce(`${imported}, ${formatCount(refused.length)} refused.`, 'bad');
  };
  const outcome = (
    <div class="stack" role="status">
      {result && summary(one, result)}
    </div>
  );
  return (
    <div class="stack">{[form({ fields: { ...text.fields, ...options }, action, submit }), outcome]}</div>
  );
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

const COLUMNS: readonly Column<Refused>[] = [
  head('Record', ({ index }) => String(index + 1)),
  column('Reason', ({ message }) => message),
  column('Code', ({ code }) => <code>{code}</code>),
];

function summary(one: string, { added, updated, unchanged, refused }: Imported): ComponentChildren {
  const counts = { added, updated, unchanged, refused: refused.length };
  const words = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
  const line = alert(refused.length === 0 ? 'good' : 'warning', <p>{words.join(' · ')}</p>);
  const parts = { caption: `Refused: each ${one} with the reason`, isCaptionShown: true, columns: COLUMNS };
  return [
    line,
    refused.length > 0 && table(parts, refused.slice(0, MAX_LISTED)),
    refused.length > MAX_LISTED && <p class="hint">{`Only the first ${MAX_LISTED} are listed.`}</p>,
  ];
}
