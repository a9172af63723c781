import { expect, test } from "vitest";
import type { MeshScene } from "../../api/types";
import type { Faces, Mesh, Positions } from "./meshes";
import { Renderer, type Style } from "./render";
import { normalsOf } from "./shading";
import { boundsOf, panBy, projectionOf, START, union, type Viewpoint } from "./viewpoint";

const SIZE = 64;
const [WHITE, BLACK, RED, BLUE] = [0xffffffff, 0xff000000, 0xff0000ff, 0xffff0000];
const PLAIN: MeshScene = {
  orthographic: false,
  fov: null,
  near: null,
  far: null,
  lights: [],
  color: null,
  wireframe: false,
  ignored: [],
  problem: null,
};
const FRONT: Viewpoint = { ...START, yaw: 0, pitch: 0 };
const STYLE: Style = {
  mode: "points",
  pointSize: 2,
  color: BLACK,
  background: WHITE,
  boxColor: BLACK,
  box: null,
  lights: [{ intensity: 1, position: null }],
};

function meshOf(corners: number[][], colors: number[] | null = null, faces: number[][] = []): Mesh {
  const column = (axis: number): Float32Array => Float32Array.from(corners, (corner) => corner[axis]!);
  const positions: Positions = { x: column(0), y: column(1), z: column(2) };
  const corner = (k: number): Int32Array => Int32Array.from(faces, (face) => face[k]!);
  const triangles: Faces = { a: corner(0), b: corner(1), c: corner(2) };
  const normals = faces.length ? normalsOf(positions, triangles) : null;
  const head = { cursor: 0, step: 0, wall: 0, sample: 0, samples: 1, shapes: {}, scene: PLAIN, problems: [] };
  const bounds = boundsOf(positions);
  return { head, positions, faces: triangles, normals, colors: colors && Uint32Array.from(colors), bounds };
}

function draw(mesh: Mesh, style: Partial<Style> = {}, scene = PLAIN, viewpoint = FRONT): Uint32Array {
  const pixels = new Uint32Array(SIZE * SIZE);
  const bounds = mesh.bounds ?? { center: [0, 0, 0], radius: 1, low: [-1, -1, -1], high: [1, 1, 1] };
  new Renderer().draw(pixels, mesh, projectionOf(viewpoint, bounds, scene, SIZE, SIZE), { ...STYLE, ...style });
  return pixels;
}

const count = (pixels: Uint32Array, color: number): number => pixels.filter((pixel) => pixel === color).length;
const painted = (pixels: Uint32Array): number => pixels.length - count(pixels, WHITE);

const SQUARE = [
  [-1, -1, 0],
  [1, -1, 0],
  [1, 1, 0],
  [-1, 1, 0],
];
const HALVES = [
  [0, 1, 2],
  [2, 3, 0],
];

test("the nearer point is on top, in any order", () => {
  const ends = [
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
  ];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
  ]) {
    const colors = [RED, BLUE, BLACK];
    const mesh = meshOf(
      order.map((i) => ends[i]!),
      order.map((i) => colors[i]!),
    );
    const pixels = draw(mesh);
    expect([count(pixels, RED) > 0, count(pixels, BLUE)]).toEqual([true, 0]);
  }
});

test("a square of two triangles is filled without gaps, from both sides", () => {
  for (const yaw of [0, Math.PI]) {
    const pixels = draw(meshOf(SQUARE, null, HALVES), { mode: "faces" }, PLAIN, { ...FRONT, yaw });
    const rows = Array.from({ length: SIZE }, (_, row) => painted(pixels.subarray(row * SIZE, (row + 1) * SIZE)));
    const filled = rows.filter((width) => width > 0);
    expect(new Set(filled).size).toBe(1);
    expect(Math.abs(filled.length - filled[0]!)).toBeLessThanOrEqual(1);
    expect(painted(pixels)).toBe(count(pixels, BLACK));
  }
});

test("faces hide what is behind them, and points do not", () => {
  const behind = [...SQUARE, [0, 0, -1], [0.1, 0, -1], [0, 0.1, -1]];
  const colors = [RED, RED, RED, RED, BLUE, BLUE, BLUE];
  const mesh = meshOf(behind, colors, [...HALVES, [4, 5, 6]]);
  expect(count(draw(mesh, { mode: "faces" }), BLUE)).toBe(0);
  expect(painted(draw(mesh, { mode: "wireframe" }))).toBeLessThan(painted(draw(mesh, { mode: "faces" })));
});

test("vertices and faces with NaN or infinity are left out", () => {
  const mesh = meshOf([...SQUARE, [NaN, 0, 0], [0, Infinity, 0]], null, [...HALVES, [0, 1, 4], [1, 2, 5]]);
  for (const mode of ["points", "faces", "wireframe"] as const)
    expect(painted(draw(mesh, { mode }))).toBe(painted(draw(meshOf(SQUARE, null, HALVES), { mode })));
  expect(meshOf([[NaN, 0, 0]]).bounds).toBeNull();
});

test("a picture of faces that all cover each other ends, and says that it is not complete", () => {
  const mesh = meshOf(
    SQUARE,
    null,
    Array.from({ length: 200_000 }, (_, i) => HALVES[i % 2]!),
  );
  const pixels = new Uint32Array(SIZE * SIZE);
  const projection = projectionOf(FRONT, mesh.bounds!, PLAIN, SIZE, SIZE);
  expect(new Renderer().draw(pixels, mesh, projection, { ...STYLE, mode: "faces" })).toBe(false);
  expect(painted(pixels)).toBeGreaterThan(0);
});

test.each([
  ["a single point", meshOf([[7, 7, 7]])],
  ["huge coordinates", meshOf(SQUARE.map((corner) => corner.map((value) => value * 1e37)))],
  ["no extent", meshOf([SQUARE[0]!, SQUARE[0]!, SQUARE[0]!], null, [[0, 1, 2]])],
] as const)("%s is in the picture", (_, mesh) => {
  expect(painted(draw(mesh, { box: mesh.bounds }))).toBeGreaterThan(0);
  expect(painted(draw(mesh, { mode: "wireframe", box: mesh.bounds }))).toBeGreaterThan(0);
});

test("the whole mesh is in the picture from every side, in both projections", () => {
  const cube = meshOf(Array.from({ length: 8 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]));
  for (const orthographic of [false, true])
    for (let yaw = 0; yaw < 6; yaw++)
      for (const pitch of [-1.5, 0, 0.6]) {
        const pixels = draw(cube, {}, { ...PLAIN, orthographic }, { ...FRONT, yaw, pitch });
        const edge = [0, SIZE - 1].flatMap((row) => [...pixels.subarray(row * SIZE, (row + 1) * SIZE)]);
        expect([painted(pixels) > 0, edge.every((pixel) => pixel === WHITE)]).toEqual([true, true]);
      }
});

test("logged near and far planes are used, unless they hide everything", () => {
  const mesh = meshOf([
    [0, 0, 1],
    [0.5, 0, -1],
    [1, 1, 0],
  ]);
  const shown = (near: number | null, far: number | null): number => painted(draw(mesh, {}, { ...PLAIN, near, far }));
  const all = shown(null, null);
  expect(shown(null, 4)).toBeLessThan(all);
  expect([shown(1000, null), shown(null, 1e-3)]).toEqual([all, all]);
});

test.each([false, true])("a pan by pixels moves the middle by as many (orthographic: %s)", (orthographic) => {
  const bounds = boundsOf(meshOf(SQUARE).positions)!;
  const scene = { ...PLAIN, orthographic };
  const projection = projectionOf(START, bounds, scene, SIZE, SIZE);
  const moved = projectionOf(panBy(START, 10, -6, projection, bounds.radius), bounds, scene, SIZE, SIZE);
  const offset = bounds.center.map((value, i) => value - moved.target[i]!);
  const along = (axis: readonly number[]): number => offset.reduce((sum, value, i) => sum + value * axis[i]!, 0);
  const unit = moved.scale / (moved.distance ?? 1);
  expect(along(moved.right) * unit).toBeCloseTo(10, 3);
  expect(-along(moved.up) * unit).toBeCloseTo(-6, 3);
});

test("bounds of several meshes hold all of them", () => {
  const [a, b] = [meshOf([[0, 0, 0]]).bounds!, meshOf([[4, 0, 0]]).bounds!];
  expect(union([a, b])).toEqual({ center: [2, 0, 0], radius: 2, low: [0, 0, 0], high: [4, 0, 0] });
  expect(union([])).toBeNull();
});

test("logged lights decide how bright faces are", () => {
  const brightness = (lights: Style["lights"]): number =>
    Math.max(...draw(meshOf(SQUARE, [RED, RED, RED, RED], HALVES), { mode: "faces", lights, background: 0 })) & 255;
  expect(brightness([{ intensity: 0.5, position: null }])).toBeCloseTo(127, -1);
  expect(brightness([{ intensity: 1, position: [0, 0, 5] }])).toBe(255);
  expect(brightness([{ intensity: 1, position: [5, 0, 0] }])).toBe(0);
});
