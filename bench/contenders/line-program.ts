import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A child process that answers each input line with one line. */
export interface LineProgram {
  /**
   * Sends a line and returns the answer.
   *
   * @throws Error if the answer begins with `error` or the program has ended
   */
  ask(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a program; its stderr is inherited. Calls of `ask` must not overlap. */
export function startLineProgram(file: string, args: readonly string[] = []): LineProgram {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  // A failed start also shows as the end of the lines.
  exited.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${file} has ended`);
      const answer = String(value);
      if (answer.startsWith('error')) throw new Error(`${file}: ${answer}`);
      return answer;
    },
    async stop() {
      child.stdin.end();
      await exited.catch(() => undefined);
    },
  };
}
