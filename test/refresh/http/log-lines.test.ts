// Rules: spec/refresh.md#log-line
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as engineModule from '../../../src/engine/create-engine.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { gate } from '../../support/gate.ts';
import { type RefreshDraft, withParts } from '../../support/refresh/draft.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import {
  createRefreshObserver,
  DURATIONS,
  type LogLine,
  REQUEST_FIELDS,
  type RefreshObserver,
  refusalOf,
} from '../../support/refresh/observer.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { pollUntil } from '../../support/until.ts';

type Held = 'signCredentialHash' | 'verifySignature' | 'verify';

// The service is built as usual; the test delays calls of its engine, or answers in its place.
const engine = { before: {} as { [name in Held]?: () => Promise<unknown> } };
const { createEngine } = engineModule;

function hold<T extends Engine>(built: T): T {
  return new Proxy(built, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        const call = (): unknown => value.apply(target, values);
        const before = engine.before[name as Held];
        return before === undefined ? call() : before().then((answer) => answer ?? call());
      };
    },
  });
}

type Row = [check: string, line: LogLine, durations: readonly string[], make: () => Promise<RefreshDraft>];
type Change = Partial<RefreshDraft> | ((draft: RefreshDraft) => RefreshDraft);

const WINDOW_MS = 86_400_000;
let time = Date.UTC(2026, 5, 1, 12);
let service: RefreshService;
let observer: RefreshObserver;

beforeAll(async () => {
  const settings = {
    'log.level': 'trace',
    'storage.cacheSeconds': '0',
    'rateLimits.refreshPerIdComm': '1',
    'rateLimits.refreshProofAttemptsPerMinute': '1000',
  };
  const spy = vi
    .spyOn(engineModule, 'createEngine')
    .mockImplementation(async (...options) => hold(await createEngine(...options)));
  try {
    service = await startRefreshService({ settings, now: () => time });
  } finally {
    spy.mockRestore();
  }
  observer = await createRefreshObserver(service);
});
afterAll(() => service?.end());

/** Makes a row: a request with a package that is refused because of a change. */
function row(line: LogLine, durations: readonly string[], change: Change): Row {
  const make = async (): Promise<RefreshDraft> => {
    const draft = await observer.fresh();
    return typeof change === 'function' ? change(draft) : { ...draft, ...change };
  };
  return [String(line.check ?? 'of the method'), line, durations, make];
}

/** Returns the log line of a package that a rule refuses. */
function packageLine(rule: string): LogLine {
  const refusal = 'PCP_VALIDATION_FAILED';
  return { withPackage: true, check: 13, code: 'refresh.package_invalid', refusal, rule };
}

const UNREADABLE = { withPackage: true, check: 7, code: 'refresh.proof_unreadable', refusal: 'UNAUTHORIZED' };
const ROWS: readonly Row[] = [
  row({ code: 'http.method_not_allowed', refusal: 'METHOD_NOT_ALLOWED' }, [], { method: 'PUT' }),
  row({ check: 2, code: 'refresh.media_type', refusal: 'UNSUPPORTED_MEDIA_TYPE' }, [], {
    contentType: 'text/plain',
  }),
  row({ check: 3, code: 'http.body_too_large', refusal: 'PAYLOAD_TOO_LARGE' }, [], {
    announcedBytes: 1_048_577,
  }),
  row({ check: 4, code: 'refresh.malformed_body', refusal: 'INVALID_REQUEST' }, [], {
    edit: (body) => body.subarray(0, -8),
  }),
  row({ withPackage: true, check: 5, code: 'refresh.sub_invalid', refusal: 'INVALID_SUB' }, [], (draft) =>
    withParts(draft, { sub: '0x' }),
  ),
  row({ withPackage: true, check: 6, code: 'refresh.id_comm_invalid', refusal: 'INVALID_ID_COMM' }, [], {
    query: '',
  }),
  row({ ...UNREADABLE, rule: 'header' }, [], { headers: {} }),
  row({ ...UNREADABLE, rule: 'json' }, [], { headers: { 'x-zkp-proof': 'ew' } }),
  row(
    { withPackage: true, check: 9, code: 'refresh.proof_invalid', refusal: 'INVALID_PROOF', rule: 'sub' },
    ['proofMs'],
    (draft) => withParts(draft, { sub: '0x1' }),
  ),
  row(packageLine('parts'), ['proofMs'], (draft) => withParts(draft, { orb_id: '' })),
  row(packageLine('manifest'), ['proofMs'], (draft) => withParts(draft, { 'hashes.json': '[]' })),
  row(packageLine('digest'), ['proofMs'], (draft) => withParts(draft, { timestamp: '1' })),
  row(packageLine('signature'), ['proofMs'], (draft) => withParts(draft, { 'hashes.sign': 'x' })),
];

describe('the log line of a refresh', () => {
  it('of a credential says whether it had a package, and has three durations', async () => {
    const { holder } = await observer.person();
    expect(await observer.observe(await observer.draftOf(holder))).toEqual({
      line: { withPackage: false },
      durations: DURATIONS,
      counted: { 'credentials_issued_total{package="without"}': 1 },
    });
    expect(await observer.observe(await observer.fresh())).toEqual({
      line: { withPackage: true },
      durations: DURATIONS,
      counted: { 'credentials_issued_total{package="with"}': 1 },
    });
  });

  it.each(ROWS)('of a refusal at check %s has exactly %o and %o', async (_check, line, durations, make) => {
    const counted = refusalOf(line.withPackage === true ? 'with' : 'unknown', String(line.refusal));
    expect(await observer.observe(await make())).toEqual({ line, durations, counted });
  });

  it('of a refusal by proof, enrolment or binding has the check and the duration of the proof', async () => {
    const { holder } = await observer.person();
    const refused = async (draft: RefreshDraft, check: number, code: string, refusal: string, more = {}) =>
      expect(await observer.observe(draft)).toEqual({
        line: { withPackage: false, check, code, refusal, ...more },
        durations: ['proofMs'],
        counted: refusalOf('without', refusal),
      });
    const isFalse = await service.client.call(holder, { isFalse: true });
    await refused(isFalse, 9, 'refresh.proof_invalid', 'INVALID_PROOF', { rule: 'proof.false' });
    const stranger = await observer.draftOf(testHolder('nobody'));
    await refused(stranger, 11, 'refresh.no_enrolment', 'NO_SIGNUP_RECORD');
    await observer.send(await observer.draftOf(holder));
    time += WINDOW_MS + 1;
    const rebound = await observer.draftOf({ ...holder, sub: testHolder('another').sub });
    await refused(rebound, 12, 'refresh.sub_mismatch', 'SUB_MISMATCH');
  });

  it('of a refusal inside the transaction has check 14 and all durations', async () => {
    const { holder } = await observer.person();
    const other = { ...holder, sub: testHolder('faster').sub };
    const drafts = [await observer.draftOf(holder), await observer.draftOf(other)];
    const before = observer.lines().length;
    let arrived = 0;
    const both = gate<void>();
    // both have passed checks 10 to 13 before either may sign
    engine.before.signCredentialHash = () => {
      arrived += 1;
      if (arrived === drafts.length) both.open();
      return both.promise;
    };
    const counted = await observer.countedBy(() => Promise.all(drafts.map(observer.send)));
    delete engine.before.signCredentialHash;
    await pollUntil(() => observer.lines().length === before + 2);
    const lines = observer.lines().slice(before);
    const refused = lines.find(({ status }) => status === 400);
    const names = [...REQUEST_FIELDS, ...DURATIONS, 'check', 'code', 'refusal', 'withPackage'];
    expect(Object.keys(refused ?? {}).sort()).toEqual(names.sort());
    expect(refused).toMatchObject({ check: 14, code: 'refresh.sub_mismatch', refusal: 'SUB_MISMATCH' });
    expect(lines.map(({ status }) => status).sort()).toEqual([200, 400]);
    const issued = { 'credentials_issued_total{package="without"}': 1 };
    expect(counted).toEqual({ ...issued, ...refusalOf('without', 'SUB_MISMATCH') });
  });

  it('of a signature that does not verify is an error with its cause and an alarm, and uses no window', async () => {
    const { holder } = await observer.person();
    const draft = await observer.draftOf(holder);
    engine.before.verifySignature = () => Promise.resolve(false);
    const { line, durations, counted } = await observer.observe(draft);
    delete engine.before.verifySignature;
    const { err, ...rest } = line;
    const code = 'refresh.signature_fault';
    expect(rest).toEqual({ withPackage: false, check: 14, code, refusal: 'INTERNAL_ERROR' });
    expect(err).toMatchObject({ code });
    expect([durations, counted]).toEqual([['proofMs', 'signMs'], refusalOf('without', 'INTERNAL_ERROR')]);
    expect(service.app.logLines('"level":"fatal"')).toMatchObject([{ event: code }]);
    expect((await observer.observe(draft)).line).toEqual({ withPackage: false });
  });

  it('of a busy engine is an error of check 9', async () => {
    const draft = await observer.fresh();
    engine.before.verify = () => Promise.resolve({ ok: false, code: 'engine.busy' });
    const { line, durations, counted } = await observer.observe(draft);
    delete engine.before.verify;
    const { err, ...rest } = line;
    const refusal = 'TEMPORARILY_UNAVAILABLE';
    expect(rest).toEqual({ withPackage: true, check: 9, count: 1, code: 'engine.busy', refusal });
    expect(err).toMatchObject({ code: 'engine.busy' });
    expect([durations, counted]).toEqual([['proofMs'], refusalOf('with', refusal)]);
  });

  it('of a disabled refresh has check 1, counted as DISABLED', async () => {
    const draft = await observer.fresh();
    await service.store.refreshGuards.switch(false, time);
    // a read of the switch is cached for its millisecond
    time += 1;
    const { line, durations, counted } = await observer.observe(draft);
    await service.store.refreshGuards.switch(true, time);
    time += 1;
    // disabled on purpose: no error, no stack
    expect(line).toEqual({ check: 1, code: 'refresh.disabled', refusal: 'DISABLED' });
    expect([durations, counted]).toEqual([[], refusalOf('unknown', 'DISABLED')]);
  });
});
