// Rules: spec/operations.md#diagnosis

import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchFromListener } from '../../../src/cli/program/fetch-from-listener.ts';
import { endServer, listen } from '../../support/server/listen.ts';

const MAX_BYTES = 65_536;

describe('the response of a listener on this machine', () => {
  let server: Server;

  afterEach(() => endServer(server));

  /** Serves a body in two pieces. */
  async function serve(first: string, second: string): Promise<number> {
    server = createServer((_request, response) => {
      response.write(first, () => response.end(second));
    });
    return await listen(server);
  }

  it.each([
    ['whole up to 65,536 bytes', MAX_BYTES],
    ['empty beyond', MAX_BYTES + 1],
  ])('is %s', async (_what, length) => {
    const whole = `${'é'.repeat(MAX_BYTES / 2 - 1)}zz`.padEnd(length - MAX_BYTES / 2 + 1, 'z');
    const port = await serve(whole.slice(0, 20_000), whole.slice(20_000));
    const { status, body } = await fetchFromListener({ host: '0.0.0.0', port, isTls: false }, '/', 60_000);
    expect(status).toBe(200);
    expect(Buffer.byteLength(whole)).toBe(length);
    expect(body === (length > MAX_BYTES ? '' : whole)).toBe(true);
  });
});
