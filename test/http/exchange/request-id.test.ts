import { describe, expect, it } from 'vitest';
import { newRequestId } from '../../../src/http/exchange/request-id.ts';

describe('the id of a request', () => {
  it('has the form of a UUID and never comes twice', () => {
    const ids = Array.from({ length: 20_000 }, newRequestId);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('counts within 4,096 ids and is random beyond', () => {
    const prefixes = new Set(Array.from({ length: 12_288 }, () => newRequestId().slice(0, -3)));
    expect(prefixes.size).toBeGreaterThanOrEqual(3);
    expect(prefixes.size).toBeLessThanOrEqual(4);
  });
});
