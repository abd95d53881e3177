/**
 * Whether an `Accept` header gives JSON a higher quality than HTML (signin.md section 3, "Page or JSON"). Browsers,
 * a missing header and a range for everything get the page.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(rangeOf);
  return qualityOf('application/json', ranges) > qualityOf('text/html', ranges);
}

interface MediaRange {
  /** Lower case, without parameters. */
  readonly type: string;
  /** 0 to 1. */
  readonly quality: number;
}

function rangeOf(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: weight === undefined ? 1 : parseQuality(weight) };
}

// RFC 9110 section 12.4.2; what is no weight counts as nothing said
function parseQuality(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 1;
}

/** The quality of a type by the most specific range that it is in (RFC 9110 section 12.5.1); 0 when it is in none. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const range of [type, family, '*/*']) {
    const qualities = ranges.filter((found) => found.type === range).map(({ quality }) => quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
}
