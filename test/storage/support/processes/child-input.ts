/** Resolves, in a child process, when the parent ends its input. */
export async function inputEnded(): Promise<void> {
  for await (const _ of process.stdin);
}
