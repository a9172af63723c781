/* Reads Arrow IPC streams as our server writes them: one schema, then record batches of which we take the first, with columns of
   numbers or of text and no nulls (a gap is NaN). Everything else of the format is refused by name: dictionaries, nested types, nulls,
   compression. A general reader would weigh an eighth of all that the first load may.

   A message is 0xFFFFFFFF, the length of its metadata, the metadata (a flatbuffer), and a body; all little-endian.
   https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format */

export type Column = Float64Array | Float32Array | BigInt64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;
export type Table = Record<string, Column | string[]>;

interface Field {
  name: string;
  read(next: () => Uint8Array, rows: number): Column | string[];
}

const CONTINUED = 0xffffffff;
const SCHEMA = 1;
const RECORD_BATCH = 3;
const [INT, FLOAT, UTF8] = [2, 3, 5];

export function readTable(bytes: Uint8Array): Table {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let fields: Field[] = [];
  let at = 0;
  while (at + 8 <= bytes.length && view.getUint32(at, true) === CONTINUED) {
    const start = at + 8;
    const length = view.getInt32(at + 4, true);
    if (length === 0) break;
    const message = root(view, start);
    const body = start + length;
    const kind = message.u8(1);
    if (kind === SCHEMA) fields = message.table(2)!.tables(1).map(readField);
    else if (kind === RECORD_BATCH) return readBatch(message.table(2)!, fields, bytes, body);
    else throw new Error(`An Arrow message of kind ${kind}; only a schema and record batches are read.`);
    at = body + message.i64(3);
  }
  return Object.fromEntries(fields.map((field) => [field.name, field.read(() => new Uint8Array(8), 0)]));
}

function readBatch(batch: FlatTable, fields: Field[], bytes: Uint8Array, body: number): Table {
  const buffers = batch.structs(2, 16);
  let used = 0;
  const next = (): Uint8Array => {
    const [offset, length] = buffers[used++]!;
    return bytes.subarray(body + offset, body + offset + length);
  };
  const nodes = batch.structs(1, 16);
  return Object.fromEntries(
    fields.map((field, i) => {
      const [rows, nulls] = nodes[i]!;
      if (nulls > 0) throw new Error(`The column ${field.name} has nulls.`);
      next(); // the bitmap of what is null
      return [field.name, field.read(next, rows)];
    }),
  );
}

function readField(field: FlatTable): Field {
  const name = field.text(0);
  const kind = field.u8(2);
  const type = field.table(3)!;
  if (kind === UTF8) return { name, read: readText };
  const make =
    kind === FLOAT ? FLOATS[type.i16(0)] : kind === INT ? INTS[`${type.u8(1) ? "i" : "u"}${type.i32(0)}`] : undefined;
  if (!make) throw new Error(`The column ${name} is of an Arrow type that is not read (${kind}).`);
  return { name, read: (next, rows) => viewOf(next(), make, rows) };
}

interface Make {
  new (buffer: ArrayBufferLike, offset: number, length: number): Column;
  BYTES_PER_ELEMENT: number;
}

/** By precision: half is not written. */
const FLOATS: Record<number, Make> = { 1: Float32Array, 2: Float64Array };
const INTS: Record<string, Make> = {
  i64: BigInt64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
};

/** In place where the bytes begin at a multiple of their size, as Arrow has them. */
function viewOf(bytes: Uint8Array, make: Make, rows: number): Column {
  const aligned = bytes.byteOffset % make.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new make(aligned.buffer, aligned.byteOffset, rows);
}

function readText(next: () => Uint8Array, rows: number): string[] {
  const ends = viewOf(next(), Int32Array, rows ? rows + 1 : 0) as Int32Array;
  const text = next();
  const decoder = new TextDecoder();
  return Array.from({ length: rows }, (_, i) => decoder.decode(text.subarray(ends[i], ends[i + 1])));
}

/** A table of a flatbuffer: its fields are found through a table of offsets, and an absent one has its default. */
class FlatTable {
  constructor(
    private readonly view: DataView,
    private readonly at: number,
  ) {}

  u8(field: number): number {
    const at = this.place(field);
    return at ? this.view.getUint8(at) : 0;
  }

  i16(field: number): number {
    const at = this.place(field);
    return at ? this.view.getInt16(at, true) : 0;
  }

  i32(field: number): number {
    const at = this.place(field);
    return at ? this.view.getInt32(at, true) : 0;
  }

  i64(field: number): number {
    const at = this.place(field);
    return at ? Number(this.view.getBigInt64(at, true)) : 0;
  }

  text(field: number): string {
    const at = this.follow(field);
    return at
      ? new TextDecoder().decode(
          new Uint8Array(this.view.buffer, this.view.byteOffset + at + 4, this.view.getUint32(at, true)),
        )
      : "";
  }

  table(field: number): FlatTable | null {
    const at = this.follow(field);
    return at ? new FlatTable(this.view, at) : null;
  }

  tables(field: number): FlatTable[] {
    return this.items(field, 4).map((at) => new FlatTable(this.view, at + this.view.getUint32(at, true)));
  }

  /** A list of pairs of 64-bit numbers. */
  structs(field: number, bytes: number): [number, number][] {
    return this.items(field, bytes).map((at) => [
      Number(this.view.getBigInt64(at, true)),
      Number(this.view.getBigInt64(at + 8, true)),
    ]);
  }

  private items(field: number, bytes: number): number[] {
    const at = this.follow(field);
    return at ? Array.from({ length: this.view.getUint32(at, true) }, (_, i) => at + 4 + i * bytes) : [];
  }

  private follow(field: number): number {
    const at = this.place(field);
    return at ? at + this.view.getUint32(at, true) : 0;
  }

  private place(field: number): number {
    const offsets = this.at - this.view.getInt32(this.at, true);
    const slot = 4 + field * 2;
    const offset = slot < this.view.getUint16(offsets, true) ? this.view.getUint16(offsets + slot, true) : 0;
    return offset ? this.at + offset : 0;
  }
}

function root(view: DataView, at: number): FlatTable {
  return new FlatTable(view, at + view.getUint32(at, true));
}
