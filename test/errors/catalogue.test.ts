/** Rows of the one table of errors, and the error class (spec/operations.md#error-bodies, #exit-codes). */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/errors/catalogue.ts';
import { isServiceError, ServiceError } from '../../src/errors/service-error.ts';
import type { ErrorSpec } from '../../src/errors/spec.ts';

const ROWS = Object.entries(ERRORS) as [ErrorCode, ErrorSpec][];
const CATALOGUE = new URL('../../src/errors/catalogue/', import.meta.url);

describe('the catalogue of errors', () => {
  it('has every row that a file of the catalogue defines, under one code', () => {
    const defined = readdirSync(CATALOGUE).flatMap((file) =>
      [...readFileSync(new URL(file, CATALOGUE), 'utf8').matchAll(/^ {2}'([a-z_]+\.[a-z0-9_]+)': \{$/gm)].map(
        ([, code]) => code,
      ),
    );
    expect(defined.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  it.each(ROWS)('%s says what it is, why it happens and what to do', (_code, { title, cause, cure }) => {
    expect(title).toMatch(/^\S.*[^.\s]$/);
    for (const sentence of [cause, cure]) expect(sentence).toMatch(/^\S.*\.$/s);
  });

  it.each(ROWS)(
    '%s has an answer only where it refuses a request, with a status of an error',
    (_code, row) => {
      for (const answer of [row.verify, row.signin, row.refresh]) {
        if (answer !== undefined) expect(answer.status).toBeGreaterThanOrEqual(400);
      }
    },
  );
});

describe('a ServiceError', () => {
  it('has the title of its row as message unless it is given a better one', () => {
    expect(new ServiceError('http.not_found').message).toBe(ERRORS['http.not_found'].title);
    expect(new ServiceError('http.not_found', 'no route /x').message).toBe('no route /x');
  });

  it('keeps its cause, its details and its row', () => {
    const cause = new Error('planted');
    const error = new ServiceError('engine.busy', undefined, { retryAfterSeconds: 2 }, { cause });
    expect(error).toMatchObject({ code: 'engine.busy', details: { retryAfterSeconds: 2 }, cause });
    expect(error.spec).toBe(ERRORS['engine.busy']);
  });

  it('is told from other errors, and by its codes', () => {
    const error = new ServiceError('engine.busy');
    expect(isServiceError(error)).toBe(true);
    expect(isServiceError(error, 'engine.cancelled', 'engine.busy')).toBe(true);
    expect(isServiceError(error, 'engine.cancelled')).toBe(false);
    expect(isServiceError(new Error('engine.busy'))).toBe(false);
    expect(isServiceError({ code: 'engine.busy' })).toBe(false);
  });
});
