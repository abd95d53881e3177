// Rules: spec/operations.md#logs
import { describe, expect, it } from 'vitest';
import { startFrontEnd } from '../support/front-end-threads.ts';
import { capturedLog, RECORD } from '../support/records.ts';
import type { Order } from '../support/thread-messages.ts';

describe('the log of a thread', () => {
  it.each<[string, Order]>([
    ['an orderly end', 'end'],
    ['an exit', 'exit'],
    ['an uncaught error', 'throw'],
  ])('is written by the main thread whole and in order, also at %s', async (_, end) => {
    const { log, lines } = capturedLog();
    const thread = await startFrontEnd(({ lines }) => lines !== undefined && log.writeLines(lines));
    thread.tell('request', 'request', 'warn', 'request', end);
    log.request(RECORD);
    await thread.closed;
    const ofThread = lines().filter(({ requestId }) => requestId !== RECORD.requestId);
    expect(ofThread).toMatchObject([
      { msg: 'request', requestId: 'of the thread' },
      { msg: 'request', requestId: 'of the thread' },
      { msg: 'of the thread', frontEnd: 1, level: 'warn' },
      { msg: 'request', requestId: 'of the thread' },
    ]);
    expect(lines()).toHaveLength(5);
  });

  it('loses at most the requests of the last milliseconds when the thread is terminated', async () => {
    const { log, lines } = capturedLog();
    const thread = await startFrontEnd(({ lines }) => lines !== undefined && log.writeLines(lines));
    thread.tell('request', 'warn');
    await expect.poll(lines).toHaveLength(2);
    thread.tell('request', 'warn', 'hang');
    await expect.poll(lines).toHaveLength(4);
    await thread.terminate();
    await thread.closed;
    expect(lines()).toHaveLength(4);
  });

  it('reaches the main thread in few messages under load', async () => {
    let messages = 0;
    const { log, lines } = capturedLog();
    const thread = await startFrontEnd(({ lines }) => {
      if (lines === undefined) return;
      messages++;
      log.writeLines(lines);
    });
    thread.tell(...new Array<Order>(1000).fill('request'), 'end');
    await thread.closed;
    expect(lines()).toHaveLength(1000);
    // 16 KiB each
    expect(messages).toBeLessThan(30);
  });
});
