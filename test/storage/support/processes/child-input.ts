/** In a child process: resolves when the parent ends the input. */
export async function inputEnded(): Promise<void> {
  for await (const _ of process.stdin);
}
