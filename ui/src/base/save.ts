/* Files that the page makes: what they are called, what a cell of a table may hold, and how they are handed over. */

export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  saveFrom(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Saves what an address answers. */
export function saveFrom(address: string, name: string): void {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
}

/** A tag as part of a file's name. */
export function plainName(words: string): string {
  return words.replace(/[^\w.-]+/g, "-");
}

export function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // A cell that begins like a formula would be run by a spreadsheet.
  const safe = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
