/* Downloads: file names, CSV cells, and saving. */

export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  saveFrom(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Saves the response of a URL. */
export function saveFrom(address: string, name: string): void {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
}

/** Turns a tag into a part of a file name. */
export function plainName(words: string): string {
  return words.replace(/[^\w.-]+/g, "-");
}

export function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // A spreadsheet would run a cell that starts like a formula.
  const safe = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
