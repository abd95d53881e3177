const STANDARD = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Standard base64 with padding as bytes; undefined for anything else, which `atob` alone would often take. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!STANDARD.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
