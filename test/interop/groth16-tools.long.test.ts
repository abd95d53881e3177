/** Programs that make keys and proofs with other tools print what the vectors of `test/vectors/forms` say of them. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { startInterfaces } from '../support/forms/interfaces.ts';
import {
  arkworksCircuits,
  expectMade,
  gnarkCircuits,
  type MadeCircuit,
  zokratesCircuits,
} from '../support/forms/made.ts';
import {
  ARKWORKS,
  type FormVectors,
  GNARK,
  type Groth16Tool,
  type Signs,
  ZOKRATES,
} from './support/groth16-tools.ts';

// enough for two compilers on a loaded machine
const BUILD_TIMEOUT_MS = 900_000;

describeTool(GNARK, gnarkCircuits);
describeTool(ARKWORKS, arkworksCircuits);
describeTool(ZOKRATES, zokratesCircuits);

interface AnyDocument {
  readonly version: string;
  readonly circuits: readonly {
    readonly name: string;
    readonly proofs: readonly { readonly signals: readonly string[]; readonly yIsLarger?: Signs }[];
  }[];
}

function describeTool<Document extends AnyDocument>(
  tool: Groth16Tool<Document>,
  circuitsOf: (document: Document) => readonly MadeCircuit[],
): void {
  const missing = tool.missing();
  const skip = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(`Groth16 of ${tool.name}${skip}`, () => {
    const { source, layout, ...committed } = vectors(tool);
    let made: Document;
    beforeAll(async () => {
      made = await tool.made();
    }, BUILD_TIMEOUT_MS);

    it('is of the version that the vectors name, with their members and lengths', () => {
      expect(source).toContain(made.version);
      expect(Object.keys(layout)).not.toEqual([]);
      expect(shape(made)).toEqual(shape(committed));
    });

    it('makes other keys and proofs in each run', () => {
      const texts = (document: AnyDocument): string[] =>
        document.circuits.map((circuit) => JSON.stringify(circuit));
      expect(texts(made)).toHaveLength(texts(committed).length);
      for (const text of texts(made)) expect(texts(committed)).not.toContain(text);
    });

    it('makes what every interface accepts, and nothing else', async () => {
      const interfaces = await startInterfaces();
      try {
        for (const circuit of circuitsOf(made)) {
          const proofs = circuit.proofs.slice(0, 2);
          for (const one of interfaces) await expectMade(one, { ...circuit, proofs });
        }
      } finally {
        await Promise.all(interfaces.map((one) => one.close()));
      }
    });

    // ZoKrates has no compressed form, to which the sign matters
    if (tool.vectors === ZOKRATES.vectors) return;
    it('has a proof for each combination of signs', () => {
      const [first] = made.circuits;
      const signs = first?.proofs.map(({ yIsLarger }) => String(yIsLarger));
      expect(new Set(signs).size).toBe(8);
    });
  });
}

function vectors<Document>({ vectors: name }: Groth16Tool<Document>): FormVectors<Document> {
  const file = new URL(`../vectors/forms/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as FormVectors<Document>;
}

/** Members whose text is hex of bytes. */
const BYTES = ['raw', 'compressed', 'uncompressed', 'solidity', 'binary', 'signalBytes', 'preparedTail'];

/** A value without its numbers: names stay, hex and bytes keep their length, decimal text and JSON numbers are one. */
function shape(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => shape(item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member, key)]));
  }
  const text = String(value);
  if (BYTES.includes(name)) return /^[0-9a-f]+$/.test(text) ? `${text.length / 2} bytes` : text;
  if (/^0x[0-9a-f]+$/.test(text)) return `${text.length} characters`;
  if (/^-?\d+$/.test(text)) return 'number';
  return typeof value === 'boolean' ? 'boolean' : value;
}
