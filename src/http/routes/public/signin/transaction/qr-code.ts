import { LRUCache } from 'lru-cache';
import { toString as drawQrCode } from 'qrcode';

/** A QR code for a page that shows it in two places, one of which is hidden by CSS. */
export interface QrPictures {
  /** SVG element with the drawing. */
  readonly first: string;
  /** SVG element that references the drawing of `first`, at a fiftieth of the size. */
  readonly again: string;
}

/** Draws a QR code or returns it from a cache, so that reloading a page costs no drawing. */
export type QrCodes = (text: string) => Promise<QrPictures>;

/** Edge of the picture in CSS pixels (spec/sign-in.md#content-by-state). */
const EDGE_PX = 280;
/** Light border around the code, in modules: ISO/IEC 18004 asks for four. */
const QUIET_ZONE_MODULES = 4;
/** About 5 KB each. Pages are reloaded soon or never, so room for a small fraction of the open sign-ins is enough. */
const MAX_KEPT = 1024;
const DRAWING_ID = 'qr-drawing';
const DARK_PATH = '<path stroke="#000000" d="';

/**
 * Creates the function that draws QR codes, with an LRU cache of `maxKept`. The cache holds the bridge keys
 * of sign-ins that are or recently were open, in memory only.
 */
export function createQrCodes(maxKept: number = MAX_KEPT): QrCodes {
  const kept = new LRUCache<string, Promise<QrPictures>>({ max: maxKept });
  return (text) => {
    let pictures = kept.get(text);
    if (pictures === undefined) {
      pictures = draw(text);
      kept.set(text, pictures);
      // The next request draws again.
      pictures.catch(() => kept.delete(text));
    }
    return pictures;
  };
}

/**
 * Draws a QR code, dark on white, with its quiet zone. Colours are attributes, since the page's policy
 * forbids styles.
 *
 * @param text - At most 2,331 bytes, which version 40 holds at level M.
 */
async function draw(text: string): Promise<QrPictures> {
  // As one byte segment: the search for numeric and alphanumeric segments takes as long as the rest and saves nothing
  // for a link with a base64 key.
  const svg = await drawQrCode([{ data: Buffer.from(text), mode: 'byte' }], {
    type: 'svg',
    errorCorrectionLevel: 'M',
    margin: QUIET_ZONE_MODULES,
    width: EDGE_PX,
  });
  const [head = '', drawing = ''] = svg.trim().split(DARK_PATH);
  return {
    first: `${head}<path id="${DRAWING_ID}" stroke="#000000" d="${drawing}`,
    again: `${head}<use href="#${DRAWING_ID}"/></svg>`,
  };
}
