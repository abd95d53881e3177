import { MessageChannel } from 'node:worker_threads';

/**
 * Where connections of uWebSockets.js are closed. The library frees a closed connection in its check handle, and counts
 * on libuv not having called back for the close by then. Libuv runs the check handle that started last first, which puts
 * the library's before the one that runs `setImmediate`; a connection closed there meets the library's only after the
 * close callback, and its memory is never freed: some 450 bytes each, for as long as the process lives.
 */
let channel: MessageChannel | undefined;
let waiting: (() => void)[] = [];

/**
 * Runs work in the next poll phase of the event loop, in its order: soon, never within the caller, and where a connection
 * may be closed. It costs some microseconds more than `setImmediate`.
 */
export function inPollPhase(work: () => void): void {
  if (waiting.push(work) > 1) return;
  channel ??= openChannel();
  channel.port2.postMessage(undefined);
}

function openChannel(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.on('message', runWaiting);
  // What waits belongs to connections, and they keep the process alive themselves.
  opened.port1.unref();
  return opened;
}

function runWaiting(): void {
  const works = waiting;
  waiting = [];
  for (const work of works) work();
}
