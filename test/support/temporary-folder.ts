import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder for temporary files, which is removed at the end.
 *
 * @param atEnd - `afterAll` if a suite uses the folder, `onTestFinished` if one test does.
 */
export function temporaryFolder(name: string, atEnd: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), `proofgate-${name}-`));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
