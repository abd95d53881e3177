import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program that answers each line with one line, in its own process. */
export interface LineProgram {
  /** @throws Error when the answer begins with `error`, or when the program has ended. */
  ask(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a program; its error output goes to ours. Lines are asked one after another. */
export function startLineProgram(file: string, args: readonly string[] = []): LineProgram {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  // A failed start is told by the lines' end, too.
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
