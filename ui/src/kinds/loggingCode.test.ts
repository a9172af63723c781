import { expect, test } from "vitest";
import { views } from ".";
import { loggingCode } from "./loggingCode";

test("each view has code that logs its data", () => {
  expect(Object.keys(loggingCode)).toEqual(views.map(({ id }) => id));
});
