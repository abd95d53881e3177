/** Planted texts that are found wherever they leak. */
import { randomBytes } from 'node:crypto';

/** Secrets by name, such as `state of GET /authorize`. */
export type Secrets = ReadonlyMap<string, string>;

/** A register of planted texts. */
export interface Plants {
  readonly all: Secrets;
  /** Makes a new text under this name, shorter than the long tokens that the log redacts from messages. */
  plant(name: string): string;
}

/** Makes an empty register. */
export function createPlants(): Plants {
  const all = new Map<string, string>();
  return {
    all,
    plant(name) {
      const digits = BigInt(`0x${randomBytes(8).toString('hex')}`)
        .toString(36)
        .padStart(13, '0');
      const text = `zq${digits.slice(0, 12)}`;
      all.set(`${name} (${all.size})`, text);
      return text;
    },
  };
}

/** Returns the names of the secrets in a text: verbatim in any case, in hex, or in base64 at any alignment. */
export function leaksIn(text: string, secrets: Secrets): string[] {
  const lower = text.toLowerCase();
  return [...secrets].flatMap(([name, secret]) => {
    if (secret.length < 8) throw new Error(`expected at least 8 characters in ${name}, got ${secret.length}`);
    const isThere =
      lower.includes(secret.toLowerCase()) ||
      lower.includes(Buffer.from(secret).toString('hex')) ||
      base64Forms(secret).some((form) => text.includes(form));
    return isThere ? [name] : [];
  });
}

/** Returns the names of the secrets whose bytes are in a file: as text, or decoded if the secret is hex. */
export function leaksInBytes(bytes: Buffer, secrets: Secrets): string[] {
  return [...secrets].flatMap(([name, secret]) => {
    const forms = [Buffer.from(secret)];
    if (/^(?:0x)?(?:[0-9a-f]{2})+$/i.test(secret)) forms.push(Buffer.from(secret.replace(/^0x/, ''), 'hex'));
    return forms.some((form) => bytes.includes(form)) ? [name] : [];
  });
}

/** Returns the base64 characters, in both alphabets and at three alignments, that the text alone determines. */
function base64Forms(text: string): string[] {
  return (['base64', 'base64url'] as const).flatMap((alphabet) =>
    [0, 1, 2].map((shift) => {
      const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]);
      const encoded = bytes.toString(alphabet).replaceAll('=', '');
      return encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor((bytes.length * 8) / 6));
    }),
  );
}
