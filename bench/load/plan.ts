/** Times of one closed-loop run: an uncounted warm-up, then windows of equal length. */
export interface LoadPlan {
  readonly warmUpMs: number;
  readonly windowMs: number;
  readonly windows: number;
}
