import { describe, expect, it } from 'vitest';
import { rpIdOf } from '../../src/semaphore/hashes.ts';
import { bodyMaker, LOAD_APP, send } from '../support/load.ts';
import { opened } from '../support/opened.ts';
import { rawExchange } from '../support/server/raw-exchange.ts';
import { startLoadApp } from '../support/signin/register-load-app.ts';

/** A text that is valid in many inputs and is found wherever it leaks. */
const PLANTED = 'c0ffee5ec2e7c0ffee5ec2e7c0ffee5ec2e7c0ffee5ec2e7c0ffee5ec2e7cafe';

describe('log and metrics of verification', () => {
  const app = opened(startLoadApp, 'stop');

  it('contain no proof, nullifier, signal hash, action or header of a request', async () => {
    const { body, nullifier } = (await bodyMaker('secrecy'))();
    const request = JSON.parse(body) as { responses: Record<string, string>[] };
    const item = request.responses[0] ?? {};
    const planted = (change: object, itemChange: object = {}): string =>
      JSON.stringify({ ...request, ...change, responses: [{ ...item, ...itemChange }] });
    const bodies = [
      body,
      body,
      planted({ action: PLANTED, nonce: PLANTED, action_description: PLANTED, [PLANTED]: PLANTED }),
      planted({}, { nullifier: `0x${PLANTED}` }),
      planted({}, { merkle_root: `0x${PLANTED}` }),
      planted({}, { signal_hash: `0x${PLANTED}` }),
      planted({}, { proof: `0x${PLANTED.repeat(8)}` }),
      planted({}, { proof: PLANTED }),
      planted({ environment: PLANTED }),
      `${PLANTED}{`,
    ];
    for (const one of bodies) await send(app.publicUrl, one);
    await send(app.publicUrl, body, `app_${PLANTED}`);
    const head = `POST /api/v4/verify/${rpIdOf(LOAD_APP)}?token=${PLANTED} HTTP/1.1\r\nHost: localhost\r\n`;
    const headers = `Authorization: Bearer ${PLANTED}\r\nCookie: ${PLANTED}\r\nX-Request-Id: ${PLANTED}\r\n`;
    await rawExchange(app.publicUrl, [Buffer.from(`${head}${headers}Content-Length: 0\r\n\r\n`)]);
    await rawExchange(app.publicUrl, [Buffer.from(`GET /${PLANTED} HTTP/1.1\r\nHost: localhost\r\n\r\n`)]);

    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(metrics).toContain('proofgate_verify_requests_total');
    expect(app.log()).toContain('"route":"/api/v4/verify/:rp_id"');
    for (const [where, text] of Object.entries({ log: app.log(), metrics })) {
      expect(text.includes(PLANTED), `planted text in the ${where}`).toBe(false);
      expect(text.includes(nullifier.slice(2)), `nullifier in the ${where}`).toBe(false);
      expect(text.includes((item.proof ?? '').slice(2, 66)), `proof in the ${where}`).toBe(false);
    }
  });

  it('count requests by code', async () => {
    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /proofgate_verify_requests_total\{status="200",code="ok",protocol="3.0",kind="uniqueness"\} 1/,
    );
    expect(metrics).toMatch(
      /proofgate_verify_requests_total\{status="200",code="reuse",protocol="3.0",kind="uniqueness"\} 1/,
    );
    expect(metrics).toMatch(/proofgate_verify_nullifier_reuse_total\{environment="production"\} 1/);
    expect(metrics).toMatch(/proofgate_engine_backend_info\{backend="(native|wasm)",arithmetic="[\w-]+"\} 1/);
    expect(metrics).toMatch(/proofgate_nullifier_commit_rows_count 2/);
  });
});
