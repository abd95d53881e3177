/** A data folder with fake circuit files, for tests of finding and serving them. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CIRCUIT_FILE_NAMES,
  type CircuitRecord,
  circuitFolder,
  type FileDigest,
} from '../../../src/development/circuit-files.ts';

/** Content of the files that `fakeCircuit` writes; the key is longer than one write to a socket. */
export interface FakeCircuit {
  readonly folder: string;
  readonly witnessCode: Buffer;
  readonly provingKey: Buffer;
}

/** Writes the files of a built circuit with arbitrary bytes, and the record that makes them valid. */
export async function fakeCircuit(dataDir: string, seed = 'first'): Promise<FakeCircuit> {
  const folder = circuitFolder(dataDir);
  await mkdir(folder, { recursive: true });
  const witnessCode = Buffer.from(`witness code ${seed}`);
  const provingKey = Buffer.alloc(3_000_000, createHash('sha256').update(seed).digest());
  const files = { witnessCode, provingKey, verificationKey: Buffer.from('{}') };
  const record: CircuitRecord = {
    witnessCode: digestOf(files.witnessCode),
    provingKey: digestOf(files.provingKey),
    verificationKey: digestOf(files.verificationKey),
  };
  await writeFile(join(folder, CIRCUIT_FILE_NAMES.witnessCode), files.witnessCode);
  await writeFile(join(folder, CIRCUIT_FILE_NAMES.provingKey), files.provingKey);
  await writeFile(join(folder, CIRCUIT_FILE_NAMES.verificationKey), files.verificationKey);
  await writeFile(join(folder, CIRCUIT_FILE_NAMES.record), JSON.stringify(record));
  return { folder, witnessCode, provingKey };
}

function digestOf(bytes: Uint8Array): FileDigest {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
