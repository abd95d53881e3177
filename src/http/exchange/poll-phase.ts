import { MessageChannel } from 'node:worker_threads';

/**
 * Channel whose messages run in the poll phase, where connections of uWebSockets.js can be closed safely. The
 * library frees closed connections in its check handle and relies on libuv not having run their close
 * callbacks by then. libuv runs the check handle that started last first, so the library's runs before the
 * one of `setImmediate`. If a connection is closed in `setImmediate`, the library's check handle next runs
 * after the close callback, and about 450 bytes leak per connection.
 */
let channel: MessageChannel | undefined;
let waiting: (() => void)[] = [];

/**
 * Runs work in the next poll phase of the event loop, in the order of the calls: soon, never synchronously,
 * and in a phase where a connection may be closed. Costs a few microseconds more than `setImmediate`.
 */
export function inPollPhase(work: () => void): void {
  if (waiting.push(work) > 1) return;
  channel ??= openChannel();
  channel.port2.postMessage(undefined);
}

function openChannel(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.on('message', runWaiting);
  // The work belongs to connections, which keep the process alive themselves.
  opened.port1.unref();
  return opened;
}

function runWaiting(): void {
  const batch = waiting;
  waiting = [];
  for (const work of batch) work();
}
