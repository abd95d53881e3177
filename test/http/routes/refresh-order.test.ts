import { describe, expect, it } from 'vitest';
import { BOUNDARY, form, part } from '../../refresh/request/support/forms.ts';
import { jsonOf } from '../../refresh/request/support/routes.ts';
import { opened } from '../../support/opened.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';

const BODY_LIMIT = 65_536;
const SETTINGS = { 'refresh.bodyLimitBytes': String(BODY_LIMIT) };

/** The answer of each of the checks 2 to 7 (spec/refresh.md#order-of-checks). */
const CHECKS = [
  { check: 2, status: 415, error: 'UNSUPPORTED_MEDIA_TYPE' },
  { check: 3, status: 413, error: 'PAYLOAD_TOO_LARGE' },
  { check: 4, status: 400, error: 'INVALID_REQUEST' },
  { check: 5, status: 400, error: 'INVALID_SUB' },
  { check: 6, status: 400, error: 'INVALID_ID_COMM' },
  { check: 7, status: 401, error: 'UNAUTHORIZED' },
] as const;

/** A request that fails the checks that `fails` names, and no other up to 6. */
function requestWith(fails: (check: number) => boolean): Buffer {
  const filler = fails(3) ? [part('x', Buffer.alloc(BODY_LIMIT))] : [];
  const { body } = form([part('sub', fails(5) ? '0X1A' : '0x1a'), ...filler]);
  const sent = fails(4) ? body.subarray(0, -4) : body;
  const type = fails(2) ? 'text/plain' : 'multipart/form-data';
  const headers = [`Content-Type: ${type}; boundary=${BOUNDARY}`, `Content-Length: ${sent.length}`];
  const query = fails(6) ? 'idComm=0x0' : 'idComm=0x1a';
  const proof = fails(7) ? [] : ['x-zkp-proof: e30='];
  const head = requestText(`POST /api/v1/refresh?${query}`, [...headers, ...proof]);
  return Buffer.concat([Buffer.from(head), sent]);
}

const portOf = (app: StartedApp): number => Number(new URL(app.publicUrl).port);

describe('the checks of a refresh before its proof, by the service', () => {
  const app = opened(() => startApp({ settings: SETTINGS }), 'stop');
  const disabled = opened(() => startApp({ settings: { ...SETTINGS, 'refresh.enabled': 'false' } }), 'stop');

  it.each(CHECKS)(
    'report check $check first when it and all later ones fail',
    async ({ check, status, error }) => {
      const answer = await rawRequest(
        portOf(app),
        requestWith((other) => other >= check),
      );
      expect([answer.status, jsonOf(answer)]).toEqual([
        status,
        { success: false, error, message: expect.any(String) },
      ]);
      const id = headerOf(answer, 'x-request-id') ?? 'no id';
      const lines = app.log().split('\n');
      expect(lines.filter((line) => line.includes(id))).toEqual([
        expect.stringContaining(`"refusal":"${error}","check":${check}`),
      ]);
    },
  );

  it.each(CHECKS)('report check $check when it alone fails', async ({ check, status, error }) => {
    const answer = await rawRequest(
      portOf(app),
      requestWith((other) => other === check),
    );
    expect([answer.status, jsonOf(answer)]).toMatchObject([status, { error }]);
  });

  it('come after the method and refresh.enabled', async () => {
    const everything = requestWith(() => true);
    const put = Buffer.from(everything.toString('latin1').replace('POST', 'PUT'), 'latin1');
    expect((await rawRequest(portOf(disabled), put)).status).toBe(405);
    for (const request of [everything, requestWith(() => false)]) {
      const answer = await rawRequest(portOf(disabled), request);
      expect([answer.status, jsonOf(answer)]).toEqual([
        503,
        { success: false, message: 'Credential refresh is disabled' },
      ]);
    }
  });

  it('report an oversized part in the check that reads it', async () => {
    const errorOf = async (parts: readonly Buffer[]): Promise<unknown> => {
      const { contentType, body } = form(parts);
      const headers = [`Content-Type: ${contentType}`, `Content-Length: ${body.length}`];
      const head = requestText('POST /api/v1/refresh?idComm=0x0', headers);
      const answer = await rawRequest(portOf(app), Buffer.concat([Buffer.from(head), body]));
      return (jsonOf(answer) as { error?: string }).error;
    };
    const large = part('hashes.sign', Buffer.alloc(81));
    const long = part('sub', '0'.repeat(1000));
    expect(await errorOf([large, long, long])).toBe('INVALID_REQUEST');
    expect(await errorOf([large, part('encrypted_user_id', 'u'.repeat(4097)), long])).toBe('INVALID_REQUEST');
    expect(await errorOf([part('encrypted_user_id', '\xff'), long])).toBe('INVALID_REQUEST');
    expect(await errorOf([large, long])).toBe('INVALID_SUB');
    // the package is checked only after the holder proof
    expect(await errorOf([large, part('sub', '0x1')])).toBe('INVALID_ID_COMM');
  });
});
