import { describe, expect, it } from "vitest";
import { blobUrl, difference, thumbUrl } from "./image";

const series = { run: "0a", tag: "samples/a&b", steps: [0], walls: [0], width: 1024, height: 768, mime: "image/png" };
const shot = { series, step: 3, wall: 0, sample: 1 };

describe("addresses", () => {
  it("escape what a tag may hold", () =>
    expect(blobUrl(shot)).toBe("api/images/blob?run=0a&tag=samples%2Fa%26b&step=3&sample=1"));
  it("take the next larger thumbnail", () => expect(thumbUrl(shot, 200)).toContain("&side=256"));
  it("take small images and animations as they are", () => {
    expect(thumbUrl({ ...shot, series: { ...series, width: 28, height: 28 } }, 200)).toContain("/blob?");
    expect(thumbUrl({ ...shot, series: { ...series, mime: "image/gif" } }, 200)).toContain("/blob?");
  });
});

describe("a difference", () => {
  const image = (...data: number[]): ImageData => ({
    data: Uint8ClampedArray.from(data),
    width: data.length / 4,
    height: 1,
    colorSpace: "srgb",
  });

  it("is told pixel by pixel, and has its mean and largest", () => {
    const found = difference(image(255, 0, 0, 255, 7, 7, 7, 255), image(0, 0, 0, 255, 7, 7, 7, 255));
    expect([...found.by]).toEqual([expect.closeTo(1 / 3), 0]);
    expect(found).toMatchObject({ largest: 1, mean: expect.closeTo(1 / 6) as number });
    expect(found.psnrDb).toBeCloseTo(-10 * Math.log10(1 / 6));
  });

  it("of equal images is nothing", () =>
    expect(difference(image(1, 2, 3, 255), image(1, 2, 3, 255))).toMatchObject({
      mean: 0,
      largest: 0,
      psnrDb: Infinity,
    }));
});
