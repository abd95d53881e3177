import { toString as drawQrCode } from 'qrcode';

/** Edge of the picture in CSS pixels (signin.md section 9). */
const EDGE_PX = 280;
/** Light border around the code, in modules: ISO/IEC 18004 asks for four. */
const QUIET_ZONE_MODULES = 4;

/**
 * A QR code as an SVG element, dark on white, with its quiet zone. Colours are attributes: the policy of the page lets
 * no style in.
 *
 * @param text - At most 2,331 bytes, which version 40 holds at level M.
 */
export async function qrCode(text: string): Promise<string> {
  const svg = await drawQrCode(text, {
    type: 'svg',
    errorCorrectionLevel: 'M',
    margin: QUIET_ZONE_MODULES,
    width: EDGE_PX,
  });
  return svg.trim();
}
