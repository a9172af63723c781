import { describe, expect, it } from "vitest";
import { blobUrl, difference, thumbUrl } from "./image";

const series = { run: "0a", tag: "samples/a&b", steps: [0], walls: [0], width: 1024, height: 768, mime: "image/png" };
const shot = { series, step: 3, wall: 0, sample: 1 };

describe("addresses", () => {
  it("escape what a tag may hold", () => expect(blobUrl(shot)).toBe("api/images/blob?run=0a&tag=samples%2Fa%26b&step=3&sample=1"));
  it("take the next larger thumbnail", () => expect(thumbUrl(shot, 200)).toContain("&side=256"));
  it("take small images and animations as they are", () => {
    expect(thumbUrl({ ...shot, series: { ...series, width: 28, height: 28 } }, 200)).toContain("/blob?");
    expect(thumbUrl({ ...shot, series: { ...series, mime: "image/gif" } }, 200)).toContain("/blob?");
  });
});

describe("a difference", () => {
  const image = (...data: number[]): ImageData => ({ data: Uint8ClampedArray.from(data), width: 1, height: 1, colorSpace: "srgb" }) as ImageData;

  it("is grey where both are equal, and has its mean and largest", () => {
    globalThis.ImageData ??= class {
      data: Uint8ClampedArray;
      constructor(
        readonly width: number,
        readonly height: number,
      ) {
        this.data = new Uint8ClampedArray(width * height * 4);
      }
    } as unknown as typeof ImageData;
    const found = difference(image(255, 10, 0, 255), image(0, 10, 0, 255));
    expect([...found.pixels.data]).toEqual([255, 128, 128, 255]);
    expect(found.largest).toBe(1);
    expect(found.mean).toBeCloseTo(1 / 3);
  });
});
