/** Times of one closed-loop run: a warm-up that is not counted, then windows of equal length. */
export interface LoadPlan {
  readonly warmUpMs: number;
  readonly windowMs: number;
  readonly windows: number;
}
