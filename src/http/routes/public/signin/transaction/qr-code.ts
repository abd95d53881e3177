import { toString as drawQrCode } from 'qrcode';

/** A QR code for a page that shows it at two places, of which a style hides one. */
export interface QrPictures {
  /** An SVG element, with the drawing. */
  readonly first: string;
  /** An SVG element that shows the drawing of `first` again, for a fiftieth of the bytes. */
  readonly again: string;
}

/** Draws QR codes, and keeps those that it drew last: a page that is loaded again costs no drawing. */
export type QrCodes = (text: string) => Promise<QrPictures>;

/** Edge of the picture in CSS pixels (spec/sign-in.md#content-by-state). */
const EDGE_PX = 280;
/** Light border around the code, in modules: ISO/IEC 18004 asks for four. */
const QUIET_ZONE_MODULES = 4;
/** About 5 KB each. A page is loaded again soon or never, so that a small part of the open sign-ins is enough. */
const MAX_KEPT = 1024;
const DRAWING_ID = 'qr-drawing';
const DARK_PATH = '<path stroke="#000000" d="';

/**
 * Makes a drawer of QR codes that keeps at most `maxKept`, those asked for least recently going first. What it keeps
 * holds the keys of sign-ins that are open or lately were, in memory alone.
 */
export function createQrCodes(maxKept: number = MAX_KEPT): QrCodes {
  const kept = new Map<string, Promise<QrPictures>>();
  return (text) => {
    const known = kept.get(text);
    const pictures = known ?? draw(text);
    // The last of the map is the latest.
    kept.delete(text);
    kept.set(text, pictures);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break;
      kept.delete(oldest);
    }
    return pictures;
  };
}

/**
 * Draws a QR code, dark on white, with its quiet zone. Colours are attributes: the policy of the page lets no style in.
 *
 * @param text - At most 2,331 bytes, which version 40 holds at level M.
 */
async function draw(text: string): Promise<QrPictures> {
  const svg = await drawQrCode(text, {
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
