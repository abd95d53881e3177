import { join } from 'node:path';
import Database from 'libsql';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as engineModule from '../../../src/engine/create-engine.ts';
import { REFRESH_ERRORS } from '../../../src/errors/catalogue/refresh.ts';
import { FAULTS, faultyPackage } from '../../refresh/package/support/check.ts';
import { opened } from '../../support/opened.ts';
import { CHECK_ROWS } from '../../support/refresh/check-rows.ts';
import { startCheckWorld } from '../../support/refresh/check-world.ts';
import { portOf, sendDraft } from '../../support/refresh/draft.ts';
import { ERROR_ROWS, type ErrorRow } from '../../support/refresh/error-rows.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { expectRefusal, refuse } from '../../support/refresh/refusal.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';

/** Simulated memory faults: while `isFaulty`, one bit of each new signature is flipped. */
const memory = { isFaulty: false };
const { createEngine } = engineModule;

beforeAll(() => {
  const spy = vi.spyOn(engineModule, 'createEngine').mockImplementation(async (...options) => {
    const engine = await createEngine(...options);
    const sign = engine.signCredentialHash.bind(engine);
    return Object.assign(engine, {
      async signCredentialHash(...call: Parameters<typeof sign>) {
        const signature = await sign(...call);
        return memory.isFaulty ? signature.with(40, (signature[40] ?? 0) ^ 1) : signature;
      },
    });
  });
  return () => spy.mockRestore();
});

const PACKAGE_INVALID = {
  code: 'refresh.package_invalid',
  status: 400,
  error: 'PCP_VALIDATION_FAILED',
  check: 13,
  isJudged: true,
} as const;
const FAULT = {
  code: 'refresh.signature_fault',
  status: 500,
  error: 'INTERNAL_ERROR',
  check: 14,
  isJudged: true,
};

const world = opened(startCheckWorld, 'end');

describe('errors of a refresh: single faults', () => {
  it.each(ERROR_ROWS.map((row): [name: string, row: ErrorRow] => [`${row.code}: ${row.name}`, row]))(
    '%s',
    async (_name, row) => {
      const check = await world.prepare([]);
      const draft = row.change(check.draft);
      const send = () => sendDraft(portOf(check.node.app.publicUrl), draft);
      await refuse(world, { ...check, draft, send }, row);
    },
  );
});

describe('checks of a custody package', () => {
  it.each(FAULTS)('rule $rule names $named in a body without values', async (fault) => {
    const { open } = world.nodes;
    const { made, fields, enrolment } = faultyPackage([fault], `wire ${fault.rule}`);
    const holder = testHolder(`wire ${fault.rule}`);
    await open.enrol([holder], enrolment);
    const draft = await open.client.call(holder, { package: fields });
    const send = () => sendDraft(portOf(open.app.publicUrl), draft);
    const says = new RegExp(`^${fault.named}: `);
    await refuse(world, { node: open, holder, draft, send }, { ...PACKAGE_INVALID, says });
    const message = String((JSON.parse((await send()).body.toString()) as { message: string }).message);
    for (const [name, value] of Object.entries({ ...made.fields, ...fields })) {
      const text = Buffer.from(value).toString('utf8');
      // a message may contain short constants such as "NORMAL"; longer texts belong to the holder
      if (text.length > 6) expect([name, message.includes(text)]).toEqual([name, false]);
    }
  });

  it.each(Object.keys(faultyPackage([]).fields))('rule parts refuses a missing or empty %s', async (part) => {
    const { open } = world.nodes;
    const whole = faultyPackage([], `part ${part}`);
    const holder = testHolder(`part ${part}`);
    await open.enrol([holder], whole.enrolment);
    const { [part]: _, ...others } = whole.fields;
    for (const fields of [others, { ...whole.fields, [part]: '' }]) {
      const draft = await open.client.call(holder, { package: fields });
      const send = () => sendDraft(portOf(open.app.publicUrl), draft);
      const says = part;
      await refuse(world, { node: open, holder, draft, send }, { ...PACKAGE_INVALID, says });
    }
  });
});

describe('errors of a refresh that the request did not cause', () => {
  async function serve(settings: Readonly<Record<string, string>> = {}): Promise<RefreshService> {
    const service = await startRefreshService({ settings });
    onTestFinished(() => service.end());
    return service;
  }

  it.each([
    ['GET /api/v1/challenge', 'without freshness mode'],
    ['GET /api/v1/', 'unknown'],
    ['POST /api/v1/refresh/', 'unknown'],
    ['DELETE /api/v1/anything?idComm=0x1', 'unknown'],
  ])('answers 404 NOT_FOUND to %s (%s)', async (line) => {
    const { app } = world.nodes.open;
    const answer = await rawRequest(portOf(app.publicUrl), requestText(line, ['Content-Length: 0']));
    expectRefusal(answer, { code: 'http.not_found', status: 404, error: 'NOT_FOUND', says: /^Not found$/ });
  });

  it('answers 500 to a signature that does not verify, raises an alarm, stores nothing, and issues the next', async () => {
    const service = world.nodes.open;
    const holder = testHolder('faulty memory');
    await service.enrol([holder]);
    const draft = await service.client.call(holder);
    const port = portOf(service.app.publicUrl);
    const before = world.state.read();
    memory.isFaulty = true;
    const answer = await sendDraft(port, draft).finally(() => {
      memory.isFaulty = false;
    });
    expectRefusal(answer, { ...FAULT, says: /^Internal server error$/ });
    expect(world.state.read()).toEqual(before);
    const requestId = headerOf(answer, 'x-request-id') ?? '';
    const line = await service.logLine({ headers: new Headers({ 'x-request-id': requestId }) });
    expect(line).toMatchObject({ code: FAULT.code, check: FAULT.check, level: 'error' });
    expect(service.app.log()).toContain('"event":"refresh.signature_fault"');
    expect((await sendDraft(port, draft)).status).toBe(200);
  });

  it('answers 500 without a reason when the store has lost its tables', async () => {
    const service = await serve();
    const holder = testHolder('broken store');
    await service.enrol([holder]);
    const draft = await service.client.call(holder);
    const database = new Database(join(service.app.dataDir, 'proofgate.db'));
    database.exec('alter table issued_credentials rename to gone');
    database.close();
    const answer = await sendDraft(portOf(service.app.publicUrl), draft);
    const code = 'store.failed';
    const says = /^Internal server error$/;
    expectRefusal(answer, { code, status: 500, error: 'INTERNAL_ERROR', says });
  });

  it('answers 503 with Retry-After to requests beyond a full queue, and issues credentials to all others', async () => {
    const service = await serve({ 'engine.maxQueue': '1', 'engine.workers': '1' });
    // Each may have five credentials.
    const holders = Array.from({ length: 12 }, (_, index) => testHolder(`queue ${index}`));
    await service.enrol(holders);
    const calls = await Promise.all(holders.map((holder) => service.client.call(holder)));
    const port = portOf(service.app.publicUrl);
    const repeated = Array.from({ length: 5 }, () => calls).flat();
    const answers = await Promise.all(repeated.map((call) => sendDraft(port, call)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectRefusal(answer, {
        code: 'engine.busy',
        status: 503,
        error: 'TEMPORARILY_UNAVAILABLE',
        headers: { 'retry-after': '1' },
      });
    }
    const issued = await service.store.issuance.list(0, 100);
    expect(issued).toHaveLength(answers.length - refused.length);
    expect(issued.length).toBeGreaterThan(0);
  });
});

describe('the rows of the error catalogue', () => {
  it('for refresh are each seen on the wire, here or in the tests of the order of checks', () => {
    const seen = [...CHECK_ROWS, ...ERROR_ROWS, PACKAGE_INVALID, FAULT].map(({ code }) => code);
    const refresh = new Set(seen.filter((code) => code.startsWith('refresh.')));
    expect([...refresh].sort()).toEqual(Object.keys(REFRESH_ERRORS).sort());
  });

  it('cover every answer of the table in spec/refresh.md#errors', () => {
    const table = [
      '400 INVALID_SUB',
      '400 SUB_MISMATCH',
      '400 PCP_VALIDATION_FAILED',
      '400 INVALID_ID_COMM',
      '400 INVALID_REQUEST',
      '401 UNAUTHORIZED',
      '401 INVALID_PROOF',
      '404 NO_SIGNUP_RECORD',
      '405 METHOD_NOT_ALLOWED',
      '413 PAYLOAD_TOO_LARGE',
      '415 UNSUPPORTED_MEDIA_TYPE',
      '429 RATE_LIMIT_EXCEEDED',
      '500 INTERNAL_ERROR',
      '503 ',
    ];
    const rows = [...CHECK_ROWS, ...ERROR_ROWS, PACKAGE_INVALID, FAULT];
    const seen = rows.map(
      ({ status, error }: { status: number; error?: string }) => `${status} ${error ?? ''}`,
    );
    // 404 NOT_FOUND and 503 TEMPORARILY_UNAVAILABLE are not caused by a refresh request; they are tested above
    expect([...new Set(seen)].sort()).toEqual(table.sort());
  });
});
