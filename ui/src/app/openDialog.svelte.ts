/* The dialog that is open over the board. */

class OpenDialog {
  page = $state<"palette" | "keys" | "trash" | "saveView" | null>(null);
  /** Text that the command palette starts with. */
  words = "";

  togglePalette(): void {
    if (this.page === "palette") this.page = null;
    else this.search("");
  }

  /** Opens the command palette with a text in its field. */
  search(words: string): void {
    this.words = words;
    this.page = "palette";
  }
}

export const open = new OpenDialog();
