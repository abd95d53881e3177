import type { EnrolmentImport, EnrolmentOutcome, EnrolmentRow, EnrolmentStore } from '../../storage/index.ts';
import {
  type ImportObserver,
  type ImportResult,
  importLines,
  type LineOutcome,
  type RecordKind,
} from './import-lines.ts';
import { LineRefused } from './line-refused.ts';
import { parseEnrolmentLine } from './parse-enrolment-line.ts';

/**
 * Imports enrolment records from JSON Lines (spec/refresh.md#imports), with one durable transaction per 1,000
 * lines. Idempotent. A dry run compares lines with the stored records and, within 1,000 lines, with each
 * other.
 *
 * @param chunks - UTF-8, split at any position.
 * @param now - Milliseconds since the epoch, the time of every change.
 * @throws ServiceError `store.unreachable`; earlier transactions stay
 */
export async function importEnrolments(
  chunks: AsyncIterable<Uint8Array | string>,
  store: EnrolmentStore,
  options: EnrolmentImport,
  now: number,
  observer: ImportObserver,
): Promise<ImportResult> {
  const kind: RecordKind<EnrolmentRow> = {
    parse: (line) => parseEnrolmentLine(line, now),
    store: async (rows) => (await store.import(rows, options)).map(lineOutcome),
  };
  return await importLines(chunks, kind, observer);
}

function lineOutcome(outcome: EnrolmentOutcome): LineOutcome {
  if (outcome === 'signup_taken') {
    return new LineRefused('signup_taken', 'signup_id: another active record has it');
  }
  if (outcome === 'conflict') {
    return new LineRefused(
      'conflict',
      'id_comm: its record has another signup_id or orb_id; --replace stores the new ones',
    );
  }
  return outcome;
}
