/** A line for `signups import` without its line break; `members` override those of record `index`. */
export function enrolmentLine(index: number, members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    id_comm: `0x${index.toString(16)}`,
    signup_id: `signup_${index}`,
    orb_id: '0c1d2e3f',
    enrolled_at: 1_700_000_000,
    ...members,
  });
}

/** Lines `from` to `to`, inclusive, each with its line break. */
export function enrolmentLines(from: number, to: number): string {
  let text = '';
  for (let index = from; index <= to; index++) text += `${enrolmentLine(index)}\n`;
  return text;
}
