/* Formulas on custom charts. Among the tags of a custom chart, `=` starts a formula. */

export const isFormula = (entry: string): boolean => entry.startsWith("=");

/** Returns an entry of a custom chart as it is shown: a tag, or the text of a formula. */
export const shownEntry = (entry: string): string => entry.replace(/^=/, "");
