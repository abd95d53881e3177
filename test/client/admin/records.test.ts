import { describe, expect, it } from 'vitest';
import { parseRecords, partsOf } from '../../../src/client/admin/views/signups/records.ts';

describe('records to import', () => {
  it('are a list, an object with a list, one record, or one record per line', () => {
    const records = [{ id: 1 }, { id: 2 }];
    const lines = '{"id":1}\r\n\n{"id":2}\n';
    for (const text of [JSON.stringify(records), JSON.stringify({ records }), lines]) {
      expect(parseRecords(text)).toEqual(records);
    }
    expect(parseRecords(' {"id":1} ')).toEqual([{ id: 1 }]);
  });

  it.each([
    ['[]', 'The list has no records.'],
    ['[{}, 5]', 'Record 2 is not a JSON object.'],
    ['7', 'Record 1 is not a JSON object.'],
    ['{"id":1}\n\n{"id":', 'Line 3 is not JSON. Expected a JSON list of records, or one record per line.'],
    ['{"id":1}\n[]', 'Line 2 is not a JSON object.'],
  ])('%j are refused with the place', (text, reason) => {
    expect(() => parseRecords(text)).toThrow(reason);
  });

  it('are divided by their number and by their size, in order', () => {
    const many = Array.from({ length: 1201 }, (_, id) => ({ id }));
    expect(partsOf(many).map(({ length }) => length)).toEqual([500, 500, 201]);
    expect(partsOf(many).flat()).toEqual(many);
    const large = Array.from({ length: 5 }, (_, id) => ({ id, pem: 'a'.repeat(40_000) }));
    expect(partsOf(large).map(({ length }) => length)).toEqual([2, 2, 1]);
    const huge = [{ pem: 'a'.repeat(300_000) }, { id: 1 }];
    expect(partsOf(huge).map(({ length }) => length)).toEqual([1, 1]);
  });
});
