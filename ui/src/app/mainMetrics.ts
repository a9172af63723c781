/* Which scalars matter most: the rule for the order of the charts, and for the metric that groups show. */

/** Words of tags, the most important first: what training minimizes, how good the model is, and the learning rate. */
const MAIN = [
  /^(loss|nll|perplexity|ppl|bpc)$/,
  /^(acc|accuracy|f1|exact|auc|auroc|map|mcc|pearson|spearman|bleu|rouge\w*|[wc]er|reward|return|score|m?iou|psnr|fid|r?m[as]e|r2)$/,
  /^(lr|learning)$/,
];
/** Insights into a model, and the machine. */
const DETAIL =
  /^(attention|attn|layers?|blocks?|params?|weights?|grads?|gradients?|norms?|update|system|[cg]pu\d*|memory)$/;

const wordsOf = (tag: string): string[] => tag.toLowerCase().split(/[^a-z0-9]+/);

/** Returns 0 for a loss, then a number for metrics, the learning rate, others, and the largest one for details. */
export function rankOf(tag: string): number {
  const words = wordsOf(tag);
  const has = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
  if (has(DETAIL)) return MAIN.length + 1;
  const rank = MAIN.findIndex(has);
  return rank < 0 ? MAIN.length : rank;
}

export const isDetail = (tag: string): boolean => rankOf(tag) > MAIN.length;
