/* The dialog that is open over the board. */

class OpenDialog {
  page = $state<"palette" | "keys" | "trash" | null>(null);

  toggle(page: "palette"): void {
    this.page = this.page === page ? null : page;
  }
}

export const open = new OpenDialog();
